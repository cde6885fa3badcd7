import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {readable} from '../../src/cli/job/readable-lines.ts';
import {displayLine, displayText} from '../../src/machines/policies/text/display-text.ts';
import {createDialectReader, customProvider} from '../../src/services/agents/custom-command.ts';
import {providers} from '../../src/services/agents/providers.ts';
import {gatherEndFacts} from '../../src/services/agents/verdicts.ts';
import type {AgentEvent, AgentVerdict, Provider} from '../../src/services/contracts/agent.ts';
import {createLineSplitter} from '../../src/services/output/line-splitter.ts';
import fc from '../helpers/fast-check.ts';
import {controlCharacters} from '../helpers/run-cli.ts';
import {fuzz} from './fuzz.ts';
import {changedBytes, changedJson, controls, jsonLike, texts} from './hostile.ts';

const folder = path.join(import.meta.dirname, '../fixtures/agents');
const recorded = ['recordings', 'failures'].flatMap((kind) =>
  readdirSync(path.join(folder, kind))
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(path.join(folder, kind, name), 'utf8').split('\n')),
);
const lines = [...new Set(recorded)].filter((line) => line.startsWith('{') && line.length < 20_000);

/** Agents by how they are constructed: a stateful one is constructed anew for each stream. */
const makers: ReadonlyArray<{readonly name: string; readonly make: () => Provider}> = [
  ...Object.values(providers).map((provider) => ({name: provider.id, make: () => provider})),
  {name: 'a custom command', make: () => customProvider('my-agent', null)},
  {name: 'a custom command in the claude dialect', make: () => customProvider('my-agent', 'claude')},
];

const line: fc.Arbitrary<Buffer> = fc.constantFrom(...lines).chain((sample) =>
  fc.oneof(
    fc.constant(Buffer.from(sample)),
    changedJson(JSON.parse(sample)).map((json) => Buffer.from(JSON.stringify(json) ?? '')),
    changedBytes(sample),
    jsonLike(sample),
    texts.map((text) => Buffer.from(text)),
    // Agent text is where a hostile repository can inject.
    fc
      .constantFrom(...controls)
      .map((text) =>
        Buffer.from(sample.replaceAll(/"text":"/g, `"text":${JSON.stringify(text).slice(0, -1)}`)),
      ),
  ),
);

const streams = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '')), {maxLength: 12}),
    fc.array(fc.nat(5_000), {maxLength: 6}),
  )
  .map(([parts, cuts]) => {
    const whole = Buffer.concat(parts.flatMap(([text, end]) => [text, Buffer.from(end)]));
    const edges = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
    return {whole, chunks: edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge))};
  });

type Heard = {
  readonly events: readonly AgentEvent[];
  readonly verdict: AgentVerdict;
  readonly shown: readonly string[];
};

function hear(
  provider: Provider,
  chunks: readonly Buffer[],
  end: {exitCode: number; kind: 'start' | 'resume'},
): Heard {
  const facts = gatherEndFacts();
  const events: AgentEvent[] = [];
  const shown: string[] = [];
  const splitter = createLineSplitter((text) => {
    const found = provider.parseLine(text);
    shown.push(...readable(found, text));
    for (const event of found) {
      events.push(event);
      facts.take(event);
    }
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  const tail = Buffer.concat(chunks).toString('utf8').slice(-16_384);
  const verdict = provider.judge({...end, ...facts.said, signal: null, stderrTail: tail, stdoutTail: tail});
  return {events, verdict, shown};
}

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe.each(makers)('whatever $name prints', ({make}) => {
  test('is parsed or skipped, however it is split, and cannot control a terminal', () => {
    fuzz(
      fc.property(
        streams,
        fc.constantFrom(0, 1),
        fc.constantFrom('start', 'resume'),
        ({whole, chunks}, exitCode, kind) => {
          const end = {exitCode, kind} as const;
          const heard = hear(make(), chunks, end);
          expect(hear(make(), [whole], end)).toEqual(heard);
          const {events, verdict, shown} = heard;
          for (const event of events) {
            if (event.type === 'session') expect(make().isSessionRef(event.ref)).toBe(true);
            if (event.type === 'activity') expect(event.activity.text.length).toBeLessThanOrEqual(300);
            if (event.type === 'usage' || event.type === 'messageUsage') {
              expect(event.usage.input_tokens).toBeGreaterThanOrEqual(0);
              expect(event.usage.output_tokens).toBeGreaterThanOrEqual(0);
            }
          }
          for (const text of shown) expect(text).not.toMatch(controlCharacters);
          for (const text of textsIn([events, verdict])) {
            expect(displayLine(text)).not.toMatch(controlCharacters);
            expect(displayText(text)).not.toMatch(controlCharacters);
          }
          // An agent with its own line format has succeeded only if it said so.
          const isVendor = make().id !== 'custom';
          const isToldOk = events.some((event) => event.type === 'result' && event.result.ok);
          if (isVendor && verdict.outcome === 'succeeded') expect(isToldOk).toBe(true);
          if (exitCode !== 0 && !isVendor) expect(verdict.outcome).toBe('failed');
        },
      ),
      100,
    );
  });
});

test('the session of a stream is the first announced, however many follow', () => {
  const session = '{"type":"thread.started","thread_id":"0198c0de-0000-7000-8000-000000000000"}';
  fuzz(
    fc.property(streams, ({whole}) => {
      const reader = createDialectReader(null);
      const facts = gatherEndFacts();
      const take = (text: string) => {
        for (const event of reader.read(text)) facts.take(event);
      };
      take(session);
      const first = facts.sessionRef;
      const splitter = createLineSplitter(take);
      splitter.push(whole);
      splitter.end();
      expect(first).not.toBeNull();
      expect(facts.sessionRef).toBe(first);
    }),
    100,
  );
});

test('a line of many megabytes does not fill the memory, and the next one is read', () => {
  const heard: string[] = [];
  const splitter = createLineSplitter((text) => heard.push(text));
  const chunk = Buffer.alloc(64 * 1024, '{"type":"item.completed","item":');
  const before = process.memoryUsage().arrayBuffers;
  for (let sent = 0; sent < 100 * 1024 * 1024; sent += chunk.length) splitter.push(chunk);
  splitter.push(Buffer.from('\nafter\n'));
  expect({heard, dropped: splitter.dropped}).toEqual({heard: ['after'], dropped: 1});
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});
