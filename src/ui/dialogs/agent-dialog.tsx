import {useEffect, useState} from 'react';
import {Lines, lineOf} from '../components/lines.tsx';
import type {AgentRow} from '../ports.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-size.ts';

/** Chooses the agent that runs this project's tasks. */
export function AgentDialog(size: DialogSize) {
  const {answers, ports} = useTui();
  const [{data}] = useTuiState();
  const [agents, setAgents] = useState<readonly AgentRow[] | null>(null);
  useEffect(() => {
    let isShown = true;
    ports.agents().then(
      (found) => isShown && setAgents(found),
      (error: unknown) => isShown && answers.failed(error),
    );
    return () => {
      isShown = false;
    };
  }, [ports, answers]);
  if (agents === null) return <Lines lines={[lineOf(' looking for agents…', {dim: true})]} />;
  const current = data && 'id' in data.provider ? data.provider.id : null;
  const inUse = agents.findIndex(({id, installed}) => installed && id === current);
  const usable = agents.findIndex(({installed}) => installed);
  return (
    <ChoiceDialog
      {...size}
      title="The agent of this project"
      items={agents.map(({id, title, installed, state}) => ({
        label: `${id.padEnd(8)}${title}`,
        note: installed && id === current ? `${state} · in use` : state,
        isDisabled: !installed,
      }))}
      initialIndex={Math.max(0, inUse < 0 ? usable : inUse)}
      onChoose={(index) => {
        const agent = agents[index];
        if (agent) answers.agent(agent.id);
      }}
      onCancel={answers.close}
    />
  );
}
