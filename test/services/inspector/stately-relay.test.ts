import http from 'node:http';
import net from 'node:net';
import {createWebSocketReceiver} from '@statelyai/inspect';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Inspector} from '../../../src/services/contracts/inspector.ts';
import type {InspectedEntry} from '../../../src/services/contracts/journal.ts';
import {startStatelyRelay} from '../../../src/services/inspector/stately-relay.ts';
import {entry, type FakeSource, fakeSource} from '../../fakes/journal-entries.ts';
import {eventually} from '../../helpers/eventually.ts';

const definition = '{"id":"run"}';

async function relayOf(source: FakeSource): Promise<Inspector> {
  const contexts =
    () =>
    ({seq}: InspectedEntry) => ({seq});
  const definitions = new Map([['run', definition]]);
  const relay = await startStatelyRelay({source, definitions, contexts}, {port: 0});
  onTestFinished(() => relay.close());
  return relay;
}

const first = entry({seq: 1, kind: 'started', actor: 'task', event: {type: 'xstate.init'}, state: 'routing'});
const second = entry({seq: 2, actor: 'task/run', parent: 'task', state: 'running', status: 'done'});

const base = {_version: '0.7.2', createdAt: '1767225600000', rootId: '1:task'};
const messages = [
  {
    type: '@xstate.actor',
    sessionId: '1:task',
    name: 'task',
    id: null,
    definition,
    snapshot: {status: 'active', value: 'routing', context: {seq: 1}},
  },
  {type: '@xstate.event', sessionId: '1:task', id: expect.any(String), event: {type: 'xstate.init'}},
  {
    type: '@xstate.snapshot',
    sessionId: '1:task',
    id: null,
    event: {type: 'xstate.init'},
    snapshot: {status: 'active', value: 'routing', context: {seq: 1}},
  },
  {
    type: '@xstate.actor',
    sessionId: '1:task/run',
    parentId: '1:task',
    name: 'run',
    id: null,
    definition,
    snapshot: {status: 'done', value: 'running', context: {seq: 2}},
  },
  {
    type: '@xstate.event',
    sessionId: '1:task/run',
    sourceId: '1:task',
    id: expect.any(String),
    event: {type: 'run.pause'},
  },
  {
    type: '@xstate.snapshot',
    sessionId: '1:task/run',
    id: null,
    event: {type: 'run.pause'},
    snapshot: {status: 'done', value: 'running', context: {seq: 2}},
  },
].map((message) => ({...base, ...message}));

test("the package's own receiver gets everything from the beginning, and later entries", async () => {
  const source = fakeSource(first);
  const relay = await relayOf(source);
  const received: unknown[] = [];
  createWebSocketReceiver({server: relay.url}).subscribe((event) => received.push(event));
  await eventually(() => expect(received).toEqual(messages.slice(0, 3)));
  source.add(second);
  await eventually(() => expect(received).toEqual(messages));
});

test('a large entry arrives whole, and a client that closes is released', async () => {
  const text = 'x'.repeat(100_000);
  const source = fakeSource(entry({event: {type: 'run.pause', text}}));
  const socket = new (await webSocket())((await relayOf(source)).url);
  const received: string[] = [];
  socket.onmessage = ({data}) => received.push(data);
  await eventually(() => expect(received).toHaveLength(3));
  expect(JSON.parse(received[1] ?? '').event).toEqual({type: 'run.pause', text});
  expect(source.listeners.size).toBe(1);
  socket.close();
  await eventually(() => expect(source.listeners.size).toBe(0));
});

test('a long beginning of many megabytes arrives whole', async () => {
  const text = 'x'.repeat(1024 * 1024);
  // Twice each: as an event, and with the state it led to.
  const many = Array.from({length: 12}, (_, index) => entry({seq: index + 1, event: {type: 'x', text}}));
  const socket = new (await webSocket())((await relayOf(fakeSource(...many))).url);
  onTestFinished(() => socket.close());
  let received = 0;
  socket.onmessage = () => {
    received++;
  };
  await eventually(() => expect(received).toBe(1 + 2 * many.length));
});

test('a client that does not read is disconnected, and one that reads when the relay closes too', async () => {
  const source = fakeSource(first);
  const relay = await relayOf(source);
  const idle = net.connect(relay.port, '127.0.0.1').pause();
  onTestFinished(() => void idle.destroy());
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  idle.write(`GET /${relay.token} HTTP/1.1\r\nHost: 127.0.0.1:${relay.port}\r\n${upgrade}\r\n${key}\r\n\r\n`);
  await eventually(() => expect(source.listeners.size).toBe(1));
  const large = entry({event: {type: 'x', text: 'x'.repeat(1024 * 1024)}});
  await eventually(() => {
    source.add(large);
    expect(source.listeners.size).toBe(0);
  });

  new (await webSocket())(relay.url);
  await eventually(() => expect(source.listeners.size).toBe(1));
  relay.close();
  await eventually(() => expect(source.listeners.size).toBe(0));
  await expect(fetch(`http://127.0.0.1:${relay.port}/`)).rejects.toThrow('fetch failed');
});

describe('access', () => {
  test.each<{
    name: string;
    path?: string;
    headers?: Record<string, string>;
    isLetIn: boolean;
    refusal?: number;
  }>([
    {name: 'a program with the address', isLetIn: true},
    {name: 'a page of this machine', headers: {Origin: 'http://localhost:5173'}, isLetIn: true},
    {name: 'a foreign page', headers: {Origin: 'https://stately.ai'}, isLetIn: false},
    {
      name: 'a page whose name starts like ours',
      headers: {Origin: 'http://localhost.evil.example'},
      isLetIn: false,
    },
    {name: 'a program that calls it localhost', headers: {Host: 'localhost:PORT'}, isLetIn: true},
    {name: 'another name for this machine', headers: {Host: 'evil.example'}, isLetIn: false},
    {name: 'a wrong token', path: `/${'x'.repeat(22)}`, isLetIn: false},
    {name: 'no token', path: '/', isLetIn: false},
    {name: 'another version', headers: {'Sec-WebSocket-Version': '7'}, isLetIn: false, refusal: 400},
  ])('$name: $isLetIn', async ({path, headers = {}, isLetIn, refusal = 403}) => {
    const source = fakeSource(first);
    const {port, token} = await relayOf(source);
    const status = await new Promise((resolve) => {
      const request = http.request({
        host: '127.0.0.1',
        port,
        path: path ?? `/${token}`,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]),
          ),
        },
      });
      request.once('upgrade', (response, socket) => {
        onTestFinished(() => void socket.destroy());
        resolve(response.headers['sec-websocket-accept']);
      });
      request.once('response', (response) => resolve(response.statusCode));
      request.end();
    });
    // The answer to the sample key of RFC 6455.
    expect(status).toBe(isLetIn ? 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=' : refusal);
    expect(source.listeners.size).toBe(isLetIn ? 1 : 0);
  });

  test('a client that disconnects before the refusal does no harm', async () => {
    const {port} = await relayOf(fakeSource(first));
    const socket = net.connect(port, '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', () =>
        resolve(),
      );
    });
    // An unhandled error would fail the whole file.
    socket.resetAndDestroy();
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  });

  test('a plain request', async () => {
    const {port, token} = await relayOf(fakeSource(first));
    expect((await fetch(`http://127.0.0.1:${port}/${token}`)).status).toBe(404);
  });

  test('a client outside this machine', async () => {
    const {port} = await relayOf(fakeSource());
    const socket = net.connect(port, '::1');
    await new Promise<void>((resolve) => socket.once('error', () => resolve()));
  });
});

/** The client that the package uses; it has no types here. */
async function webSocket(): Promise<
  new (
    url: string,
  ) => {onmessage: (event: {data: string}) => void; close(): void}
> {
  const name = 'isomorphic-ws';
  return (await import(name)).default;
}
