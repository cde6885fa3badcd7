import {render} from 'ink-testing-library';
import type {ReactElement} from 'react';
import {expect, onTestFinished, vi} from 'vitest';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {createFileIndex} from '../../../src/ui/editor/file-index.ts';

export const keys = {
  up: '\x1b[A',
  down: '\x1b[B',
  enter: '\r',
  escape: '\x1b',
  ctrlC: '\x03',
  ctrlS: '\x13',
  pageDown: '\x1b[6~',
};

/** A component on a terminal that is not there. */
export function screenOf(element: ReactElement) {
  const {stdin, lastFrame, unmount} = render(element);
  onTestFinished(unmount);
  return {
    /** What is typed at once. */
    type: (sent: string) => stdin.write(sent),
    lines: () => (lastFrame() ?? '').split('\n'),
    /** Waits until the screen shows it. */
    sees: (text: string | RegExp) => vi.waitFor(() => expect(lastFrame()).toMatch(text)),
  };
}

export const someFiles = () => createFileIndex(async () => ['src/refunds/route.ts', 'docs/my file.md']);

export const finishedRun = (changes: Partial<RunRecord> = {}): RunRecord => ({
  ...{schema_version: 1, run_id: 'pay-04-1', task_id: 'pay-04', run_type: 'execute', attempt: 1},
  ...{
    state: 'succeeded',
    provider: 'claude',
    provider_session_ref: 'ref',
    resumable: true,
    repo_root: '/repo',
  },
  ...{
    created_at: '2026-01-02T12:00:00Z',
    updated_at: '2026-01-02T12:04:12Z',
    stdout: '',
    stderr: '',
    exit_code: 0,
  },
  segments: [
    {
      ...{pid: 1, start_time: '1', boot_id: '', pid_namespace: '', host: '', argv: []},
      ...{started_at: '2026-01-02T12:00:00Z', ended_at: '2026-01-02T12:04:12Z'},
    },
  ],
  usage: {input_tokens: 1, output_tokens: 1, cost_usd: 0.31},
  review_summary: {
    files: ['src/refunds/route.ts', 'test/refunds.test.ts'],
    total_files: 2,
    diffstat: [
      ' src/refunds/route.ts | 44 +++++++++++++++++++++++++++++++++++++++++---',
      ' test/refunds.test.ts |  5 +++++',
      ' 2 files changed, 46 insertions(+), 3 deletions(-)',
    ].join('\n'),
    snippets: [
      {
        file: 'src/refunds/route.ts',
        snippet: "@@ -1,2 +1,2 @@\n import x\n+router.post('/refunds');\n-\tgone",
      },
    ],
  },
  ...changes,
});
