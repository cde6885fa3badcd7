import {onTestFinished} from 'vitest';
import {inspectedOf} from '../../src/cli/inspect/inspect-page.ts';
import type {Inspector} from '../../src/services/contracts/inspector.ts';
import type {InspectedEntry, InspectionSource} from '../../src/services/contracts/journal.ts';
import {startInspector} from '../../src/services/inspector/inspector-server.ts';
import {executeJob, startJob} from './jobs.ts';
import {observedEngine} from './observed-engine.ts';
import {planOf, task} from './plans.ts';

/** Two tasks in the real machines: the first succeeds, the second is paused. One event every 137 milliseconds. */
export async function entriesOfAPause(): Promise<InspectedEntry[]> {
  const {engine, agents, entries} = observedEngine({plan: planOf(task('a'), task('b'))});
  let isFirst = true;
  agents.play = (agent) => {
    agent.opensSession();
    if (isFirst) agent.succeeds('done');
    else queueMicrotask(() => engine.pause('user_interrupt'));
    isFirst = false;
  };
  await startJob(engine, executeJob());
  const start = Date.parse('2026-01-02T12:00:00.000Z');
  return entries.map((each, index) => ({
    ...each,
    session: 1,
    at: new Date(start + index * 137).toISOString(),
  }));
}

/** The page with the machines of a source, and nothing else. */
export async function serveMachines(source: InspectionSource): Promise<Inspector> {
  const facts = {title: 'pay-05 · Refund e2e test', version: '1.2.3', notices: [], job_id: null} as const;
  const inspected = inspectedOf({source, project: null}, {...facts, opens: 'machines'});
  const inspector = await startInspector(inspected, {port: 0});
  onTestFinished(() => inspector.close());
  return inspector;
}
