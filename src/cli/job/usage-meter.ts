import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {createLogReader} from '../../services/agents/run-provider.ts';
import {createUsageSum} from '../../services/agents/usage-sum.ts';
import type {Usage} from '../../services/contracts/agent.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import {createLineSplitter} from '../../services/output/line-splitter.ts';

/** So much of an output is read at a look; the rest at the next one. */
const maxBytes = 16 * 1024 * 1024;

/** What a running agent has told of its use so far, read from its log; each look reads only what is new. */
export function createUsageMeter(runs: Pick<RunStore, 'files'>): (run: RunRecord) => Usage | null {
  let meter: {runId: string; look: () => Usage | null} | null = null;
  return (run) => {
    if (meter?.runId !== run.run_id) {
      meter = {runId: run.run_id, look: meterOf(run, runs.files(run.task_id, run.run_id).stdout)};
    }
    return meter.look();
  };
}

function meterOf(run: RunRecord, file: string): () => Usage | null {
  let usage: Usage | null = null;
  let offset = 0;
  const read = createLogReader(run);
  const summed = createUsageSum();
  const splitter = createLineSplitter((line) => {
    for (const event of read(line).map(summed)) if (event.type === 'usage') usage = event.usage;
  });
  return () => {
    const chunk = bytesFrom(file, offset);
    offset += chunk.length;
    splitter.push(chunk);
    return usage;
  };
}

function bytesFrom(file: string, offset: number): Buffer {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    // The agent has not said anything yet.
    return Buffer.alloc(0);
  }
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(0, fstatSync(handle).size - offset)));
    return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(handle);
  }
}
