import {notNow} from '../keymap.ts';
import {missingAgent} from '../model/missing-agent.ts';
import {anywhere, type Command, type CommandContext, noPlan, planPanes, type Refusal} from './command.ts';
import {scroll} from './detail.ts';
import {typeSearch} from './find.ts';
import {loadSessions} from './sessions.ts';

const section = 'Go';
const exceptHelp = anywhere.filter((place) => place !== 'help');

const agentRefusal: Refusal = ({isBusy}) =>
  isBusy ? 'an agent is working; choose another between jobs' : null;
const chooseAgent: Command['run'] = ({open}) => open({type: 'agent'});

/** Switching screens, and quitting. */
export const goCommands: readonly Command[] = [
  {
    id: 'go.missingAgent',
    keys: ['w'],
    label: 'install an agent',
    hint: 'first',
    at: ['home'],
    refusal: (facts, state) => (missingAgent(state) === null ? notNow : agentRefusal(facts, state)),
    run: chooseAgent,
  },
  {
    id: 'go.plan',
    keys: ['enter', 'v', 'p'],
    label: 'plan',
    hint: 'first',
    at: ['home'],
    // While the plan is being read, its screen waits for it.
    refusal: ({plan}, {data}) => (plan || data === null ? null : `${noPlan} to look at`),
    run: ({core}) => core.send({type: 'screen.plan'}),
  },
  {
    id: 'go.settingsFromHome',
    keys: [',', 's'],
    label: 'settings',
    hint: 'first',
    at: ['home'],
    run: (context) => showList(context, 'settings'),
  },
  {
    id: 'go.sessionsFromHome',
    keys: ['S'],
    label: 'sessions',
    hint: 'first',
    at: ['home'],
    run: (context) => showList(context, 'sessions'),
  },
  {
    id: 'go.agentFromHome',
    keys: ['w'],
    label: 'agent',
    hint: 'more',
    at: ['home'],
    refusal: (facts, state) => (missingAgent(state) === null ? agentRefusal(facts, state) : notNow),
    run: chooseAgent,
  },
  {
    id: 'go.agent',
    keys: ['w'],
    label: 'agent',
    help: 'choose the agent',
    hint: 'more',
    at: planPanes,
    section,
    refusal: agentRefusal,
    run: chooseAgent,
  },
  {
    id: 'go.home',
    keys: ['H'],
    label: 'home',
    at: [...planPanes, 'settings', 'sessions'],
    section,
    run: ({core}) => core.send({type: 'screen.home'}),
  },
  {
    id: 'go.settings',
    keys: [','],
    label: 'settings',
    at: planPanes,
    section,
    run: (context) => showList(context, 'settings'),
  },
  {
    id: 'go.sessions',
    keys: ['S'],
    label: 'sessions',
    at: planPanes,
    section,
    run: (context) => showList(context, 'sessions'),
  },
  {
    id: 'go.back',
    keys: ['escape'],
    label: 'back',
    hint: 'first',
    called: (_, {list}) => (list.query === '' ? 'back' : 'clear'),
    at: ['settings', 'sessions'],
    run: (context) => {
      const {core} = context;
      if (core.get().list.query !== '') typeSearch(context, '');
      else core.send({type: `screen.${core.get().list.from}`});
    },
  },
  {
    id: 'help.leave',
    keys: ['escape', 'q', '?'],
    label: 'back',
    hint: 'first',
    at: ['help'],
    run: ({core}) => core.send({type: 'help.leave'}),
  },
  {
    id: 'help.page',
    keys: ['space', 'ctrl+d'],
    label: 'page',
    hint: 'first',
    at: ['help'],
    run: (context) => scroll(context, context.core.facts().layout.paneRows),
  },
  {
    id: 'help.show',
    keys: ['?'],
    label: 'help',
    hint: 'first',
    at: exceptHelp,
    section,
    run: ({core}) => {
      core.patch({helpTop: 0});
      core.send({type: 'help.show'});
    },
  },
  {
    id: 'go.quit',
    keys: ['q'],
    label: 'quit',
    hint: 'first',
    at: exceptHelp,
    section,
    run: ({core, open}) => {
      if (core.facts().isBusy) open({type: 'quit'});
      else core.send({type: 'tui.leave', reason: 'user_interrupt'});
    },
  },
  {
    id: 'go.leave',
    keys: ['ctrl+c'],
    label: 'quit',
    at: anywhere,
    section,
    refusal: ({isBusy}) => (isBusy ? notNow : null),
    run: ({core}) => core.send({type: 'tui.interrupt'}),
  },
  {
    id: 'go.suspend',
    keys: ['ctrl+z'],
    label: 'to the shell; fg comes back',
    at: anywhere,
    section,
    run: ({core}) => core.patch({handover: {type: 'shell'}}),
  },
];

function showList(context: CommandContext, screen: 'settings' | 'sessions'): void {
  const from = context.core.facts().screen === 'home' ? 'home' : 'plan';
  context.core.patch({list: {index: 0, query: '', from, sessions: null, preview: null}});
  context.core.send({type: `screen.${screen}`});
  if (screen === 'sessions') loadSessions(context);
}
