import {spawn} from 'node:child_process';
import {once} from 'node:events';
import http from 'node:http';
import net from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {InspectedProject, Inspector, InspectorFacts} from '../../../src/services/contracts/inspector.ts';
import {startInspector} from '../../../src/services/inspector/inspector-server.ts';
import {entry, type FakeSource, fakeSource} from '../../fakes/journal-entries.ts';
import {deferred} from '../../fakes/memory-run-store.ts';
import {bundleWorker} from '../../helpers/bundle-worker.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const facts: InspectorFacts = {
  title: 'a',
  version: '1',
  notices: ['look'],
  opens: 'job',
  job_id: null,
  has_process: true,
};

async function served(
  source: FakeSource | null = fakeSource(entry()),
  port = 0,
  project: InspectedProject | null = null,
): Promise<Inspector> {
  const inspector = await startInspector({facts: () => facts, source, project}, {port});
  onTestFinished(() => inspector.close());
  return inspector;
}

type Answer = {status: number; headers: http.IncomingHttpHeaders; body: string};

/** A raw request, which no browser would send. */
function ask(
  {port, token}: Inspector,
  {
    path: asked = `/${token}/facts`,
    headers = {},
    method = 'GET',
  }: {path?: string; headers?: object; method?: string},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {host: '127.0.0.1', port, path: asked, method, headers: {...headers}, agent: false},
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.on('end', () =>
          resolve({status: response.statusCode ?? 0, headers: response.headers, body}),
        );
      },
    );
    request.once('error', reject);
    request.end();
  });
}

describe('access', () => {
  test.each<{name: string; request: (inspector: Inspector) => Parameters<typeof ask>[1]; status: number}>([
    {name: 'the address itself', request: () => ({}), status: 200},
    {
      name: 'the other name of this machine',
      request: ({port}) => ({headers: {host: `localhost:${port}`}}),
      status: 200,
    },
    {
      name: 'its own page',
      request: ({port}) => ({
        headers: {origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin'},
      }),
      status: 200,
    },
    {name: 'a typed address', request: () => ({headers: {'sec-fetch-site': 'none'}}), status: 200},
    {
      name: 'a foreign name that resolves to this machine',
      request: ({port}) => ({headers: {host: `evil.example:${port}`}}),
      status: 403,
    },
    {name: 'another port', request: () => ({headers: {host: '127.0.0.1:1'}}), status: 403},
    {name: 'no port', request: () => ({headers: {host: '127.0.0.1'}}), status: 403},
    {name: 'a foreign page', request: () => ({headers: {origin: 'https://evil.example'}}), status: 403},
    {name: 'a page without an origin', request: () => ({headers: {origin: 'null'}}), status: 403},
    {
      name: "a page under the machine's other name",
      request: ({port}) => ({headers: {origin: `http://localhost:${port}`}}),
      status: 403,
    },
    {name: 'a foreign frame', request: () => ({headers: {'sec-fetch-site': 'cross-site'}}), status: 403},
    {
      name: 'another port of this machine',
      request: () => ({headers: {'sec-fetch-site': 'same-site'}}),
      status: 403,
    },
    {name: 'no token', request: () => ({path: '/facts'}), status: 404},
    {name: 'an empty token', request: () => ({path: '//facts'}), status: 404},
    {name: 'a wrong token', request: ({token}) => ({path: `/${token.slice(1)}x/facts`}), status: 404},
    {
      name: 'a prefix of the token',
      request: ({token}) => ({path: `/${token.slice(1)}/facts`}),
      status: 404,
    },
    {name: 'the token alone', request: ({token}) => ({path: `/${token}`}), status: 404},
    {name: 'the token in a query', request: ({token}) => ({path: `/facts?${token}`}), status: 404},
    {name: 'a path upwards', request: ({token}) => ({path: `/${token}/../facts`}), status: 404},
    {name: 'another file', request: ({token}) => ({path: `/${token}/index.html`}), status: 404},
    {name: 'the name of a built-in', request: ({token}) => ({path: `/${token}/constructor`}), status: 404},
    {name: 'a POST', request: () => ({method: 'POST'}), status: 405},
    {name: 'a DELETE', request: () => ({method: 'DELETE'}), status: 405},
    {name: 'an OPTIONS request', request: () => ({method: 'OPTIONS'}), status: 405},
  ])('$name: $status', async ({request, status}) => {
    const inspector = await served();
    const answer = await ask(inspector, request(inspector));
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.body).toMatch(/^(Forbidden|Not found|Only GET)\n$/);
    expect(answer.headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('only from this machine: it listens on no other address', async () => {
    const {port} = await served();
    const addresses = ['127.0.0.1', '::1', '127.0.0.2'];
    const reached = await Promise.all(addresses.map((host) => isReached(host, port)));
    expect(reached).toEqual([true, false, false]);
  });

  test('every server has its own token, of 128 bits', async () => {
    const [a, b] = [await served(), await served()];
    expect(Buffer.from(a.token, 'base64url')).toHaveLength(16);
    expect(a.token).not.toBe(b.token);
    expect(a.url).toBe(`http://127.0.0.1:${a.port}/${a.token}/`);
  });
});

describe('what is served', () => {
  test('the facts, and the page with everything it needs', async () => {
    const inspector = await served();
    const get = (name: string) => ask(inspector, {path: `/${inspector.token}/${name}`});
    expect(JSON.parse((await get('facts')).body)).toEqual(facts);
    const page = await get('');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const named = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name ?? '');
    const files = named.filter((name) => !name.startsWith('#'));
    expect(files.sort()).toEqual(['page.js', 'style.css']);
    for (const name of [...files, 'layouts/run.json']) expect((await get(name)).status, name).toBe(200);
    expect((await get('layouts/nothing.json')).status).toBe(404);
    expect((await get('layouts/..%2f..%2fpackage.json')).status).toBe(404);
  });

  test('jobs and runs of the project, as many rows as are shown', async () => {
    const asked: unknown[] = [];
    const answer = (...what: readonly unknown[]) => {
      asked.push(what);
      return Promise.resolve({what});
    };
    const project: InspectedProject = {
      jobs: () => answer('jobs'),
      job: (id) => (id === 'none' ? Promise.resolve(null) : answer('job', id)),
      rows: (id, query) => answer('rows', id, query),
      visits: (id) => answer('visits', id),
      run: (taskId, runId) => answer('run', taskId, runId),
      journal: async (taskId) => (taskId === 'a/b' ? fakeSource(entry({seq: 5})) : null),
    };
    const inspector = await served(null, 0, project);
    const get = (name: string) => ask(inspector, {path: `/${inspector.token}/${name}`});
    for (const name of ['jobs', 'jobs/j1', 'jobs/j1/visits', 'runs/a%2Fb/a-1']) {
      expect((await get(name)).status, name).toBe(200);
    }
    await get('jobs/j1/rows?from=40&count=99999&show=job&find=x&closed=p&closed=q');
    await get('jobs/j1/rows?from=-1&count=x');
    expect(asked).toEqual([
      ['jobs'],
      ['job', 'j1'],
      ['visits', 'j1'],
      ['run', 'a/b', 'a-1'],
      ['rows', 'j1', {from: 40, count: 500, show: 'job', find: 'x', closed: ['p', 'q']}],
      ['rows', 'j1', {from: 0, count: 0, show: 'all', find: '', closed: []}],
    ]);
    const read = reader(await fetch(`${inspector.url}runs/a%2Fb/a-1/entries`));
    expect(await read()).toEqual({event: 'all', seqs: [5]});
    const jobPaths = ['jobs/none', 'jobs/j1/x', 'jobs/j1/rows/x', 'jobs/%'];
    const runPaths = ['runs', 'runs/a', 'runs/a%2Fb/a-1/x', 'runs/a%2Fb/a-1/entries/x', 'runs/c/c-1/entries'];
    for (const name of [...jobPaths, ...runPaths, 'entries'])
      expect((await get(name)).status, name).toBe(404);
  });

  test('an error of the project, with its message', async () => {
    const nothing = async () => null;
    const inspector = await served(null, 0, {
      job: nothing,
      rows: nothing,
      visits: nothing,
      run: nothing,
      journal: nothing,
      jobs: async () => {
        throw new Error('cannot read the folder');
      },
    });
    const {status, headers, body} = await ask(inspector, {path: `/${inspector.token}/jobs`});
    expect([status, headers['x-frame-options'], body]).toEqual([500, 'DENY', 'cannot read the folder\n']);
  });

  test('without a project, nothing of one', async () => {
    const inspector = await served();
    for (const name of ['jobs', 'runs/a/a-1'])
      expect((await ask(inspector, {path: `/${inspector.token}/${name}`})).status).toBe(404);
  });

  test('whether more can come, and again when that changes', async () => {
    const source = fakeSource(entry());
    const response = await fetch(`${(await served(source)).url}entries`);
    const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (part: string) => {
      while (!text.includes(part)) text += (await chunks?.read())?.value ?? '';
    };
    await until('event: standing\ndata: "live"\n\n');
    source.stands = 'lost';
    await until('event: standing\ndata: "lost"\n\n');
    expect(text.match(/event: standing/g)).toHaveLength(2);
  });

  test('nothing in the page comes from elsewhere', async () => {
    const inspector = await served();
    for (const name of ['', 'style.css', 'page.js']) {
      const {body} = await ask(inspector, {path: `/${inspector.token}/${name}`});
      // The bundler may break a line inside a text. The addresses in it are names: of a language, and of the schemas
      // that a library could write.
      const whole = body.replaceAll('\\\n', '');
      const addresses = new Set([...whole.matchAll(/\w+:\/\/[^"'`\s]*/g)].map(([address]) => address));
      const isName = (address: string) =>
        /^http:\/\/www\.w3\.org\/2000\/svg$|^https?:\/\/(json-schema\.org\/|\[\$)/.test(address);
      expect(
        [...addresses].filter((address) => !isName(address)),
        name,
      ).toEqual([]);
    }
  });

  test('all entries so far, then later ones, and no listener is left when the page closes', async () => {
    const source = fakeSource(entry({seq: 1}), entry({seq: 2}));
    const inspector = await served(source);
    const tab = new AbortController();
    const response = await fetch(`${inspector.url}entries`, {signal: tab.signal});
    const headers = ['content-type', 'cache-control', 'x-frame-options'];
    expect(headers.map((name) => response.headers.get(name))).toEqual([
      ...['text/event-stream; charset=utf-8', 'no-store', 'DENY'],
    ]);
    const read = reader(response);
    expect(await read()).toEqual({event: 'all', seqs: [1, 2]});
    source.add(entry({seq: 3}), entry({seq: 4}));
    expect(await read()).toEqual({event: 'more', seqs: [3, 4]});
    source.add(entry({seq: 5}));
    expect(await read()).toEqual({event: 'more', seqs: [5]});
    expect(source.listeners.size).toBe(1);
    tab.abort();
    await eventually(() => expect(source.listeners.size).toBe(0));
  });

  test('a client that disconnects before the journal is open leaves no listener', async () => {
    const [asked, opened] = [deferred(), deferred()];
    const source = fakeSource(entry());
    const nothing = async () => null;
    const inspector = await served(null, 0, {
      jobs: nothing,
      job: nothing,
      rows: nothing,
      visits: nothing,
      run: nothing,
      journal: async () => {
        asked.resolve();
        await opened.promise;
        return source;
      },
    });
    const tab = new AbortController();
    const stream = fetch(`${inspector.url}runs/a/a-1/entries`, {signal: tab.signal}).catch(() => null);
    await asked.promise;
    tab.abort();
    await stream;
    // Later requests are answered after the server has seen the disconnect and continued.
    await ask(inspector, {});
    opened.resolve();
    await ask(inspector, {});
    await eventually(() => expect(source.listeners.size).toBe(0));
  });

  test('pending entries are sent before it closes', async () => {
    const source = fakeSource();
    const inspector = await served(source);
    const read = reader(await fetch(`${inspector.url}entries`));
    expect(await read()).toEqual({event: 'all', seqs: []});
    source.add(entry({seq: 9}));
    inspector.close();
    expect(await read()).toEqual({event: 'more', seqs: [9]});
    expect(await read()).toEqual({event: 'end', seqs: []});
    expect(await isReached('127.0.0.1', inspector.port)).toBe(false);
  });

  test('a long beginning of many megabytes arrives whole', async () => {
    const text = 'x'.repeat(1024 * 1024);
    const many = Array.from({length: 17}, (_, index) => entry({seq: index + 1, event: {type: 'x', text}}));
    const source = fakeSource(...many);
    const read = reader(await fetch(`${(await served(source)).url}entries`));
    expect(await read()).toEqual({event: 'all', seqs: many.map(({seq}) => seq)});
    source.add(entry({seq: 25}));
    expect(await read()).toEqual({event: 'more', seqs: [25]});
  });

  test('a tab that does not read is disconnected, and the source is released', async () => {
    const source = fakeSource();
    const inspector = await served(source);
    const socket = net.connect(inspector.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(`GET /${inspector.token}/entries HTTP/1.1\r\nHost: 127.0.0.1:${inspector.port}\r\n\r\n`);
    await eventually(() => expect(source.listeners.size).toBe(1));
    const large = entry({event: {type: 'x', text: 'x'.repeat(1024 * 1024)}});
    await eventually(() => {
      source.add(large);
      expect(source.listeners.size).toBe(0);
    });
  });
});

test('a port in use is named, with what to do', async () => {
  const {port} = await served();
  await expect(served(fakeSource(), port)).rejects.toMatchObject({
    code: 'E_INSPECT',
    message: `the inspector cannot use port ${port}: it is taken`,
  });
});

test('an open page does not keep the process alive, and learns of its end', async () => {
  const worker = await bundleWorker('helpers/workers/inspector.worker.ts', temporaryFolder());
  const child = spawn(process.execPath, [worker], {stdio: ['pipe', 'pipe', 'inherit']});
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const read = reader(await fetch(`${url.trim()}entries`));
  expect(await read()).toEqual({event: 'all', seqs: []});
  const exited = once(child, 'exit');
  child.stdin.end('go\n');
  expect(await read()).toEqual({event: 'more', seqs: [7]});
  expect(await read()).toEqual({event: 'end', seqs: []});
  expect(await exited).toEqual([0, null]);
});

function isReached(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
}

/** The messages of a stream, one by one. */
function reader(response: Response): () => Promise<{event: string; seqs: number[]}> {
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async (): Promise<{event: string; seqs: number[]}> => {
    const parts = [rest];
    // Only new data is scanned: the beginning can have many megabytes.
    while (!parts.slice(-2).join('').includes('\n\n')) {
      const chunk = await chunks?.read();
      if (!chunk || chunk.done) throw new Error(`the stream ended after ${JSON.stringify(parts.join(''))}`);
      parts.push(chunk.value);
    }
    const text = parts.join('');
    const end = text.indexOf('\n\n');
    const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
    rest = text.slice(end + 2);
    // Whether more can come is sent in between.
    if (event === 'standing') return next();
    if (event === 'end') return {event, seqs: []};
    return {event, seqs: JSON.parse(data).map(({seq}: {seq: number}) => seq)};
  };
  return next;
}
