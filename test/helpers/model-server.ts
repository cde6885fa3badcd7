import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';

/** What the model does on the next request. */
export type Reply =
  | {readonly kind: 'say'; readonly text: string; readonly delayMs?: number}
  /** A call of the agent's shell tool. */
  | {readonly kind: 'run'; readonly command: string; readonly say?: string}
  /** A call of any other tool, by the agent's name for it. */
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Codex only: its group of tools, such as those of an MCP server. */
      readonly namespace?: string;
    }
  /** No response until `release` is called; then `text`. */
  | {readonly kind: 'hold'; readonly hold: Hold; readonly text: string}
  /** An error response; both vendors read the same body. */
  | ({readonly kind: 'refuse'; readonly status: number; readonly message: string} & RefusalDetails)
  /** Codex only: the stream starts and ends with `response.failed`. */
  | {readonly kind: 'fail'; readonly code: string; readonly message: string}
  /** The connection breaks: without a response, or in the middle of one. */
  | {readonly kind: 'cut'; readonly when: 'before' | 'within'};

export type RefusalDetails = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of `error` besides the message; its `type` follows from the status unless given here. */
  readonly error?: Readonly<Record<string, unknown>>;
};

export type Hold = {
  /** Resolves when a request hangs here. */
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  reach(): void;
  release(): void;
};

export type ModelRequest = {readonly path: string; readonly body: Readonly<Record<string, unknown>>};

export type ModelServer = {
  readonly url: string;
  /** Every turn an agent requested, in order; side requests are left out. */
  readonly requests: readonly ModelRequest[];
  /** Replies for the next turns; the last one is repeated. */
  script(...replies: readonly [Reply, ...Reply[]]): void;
  close(): Promise<void>;
};

type SpokenReply = Exclude<Reply, {kind: 'refuse' | 'fail' | 'cut'}>;

export const say = (text: string): SpokenReply => ({kind: 'say', text});
export const run = (command: string): Reply => ({kind: 'run', command});
export const tool = (name: string, input: Readonly<Record<string, unknown>>): Reply => ({
  kind: 'tool',
  name,
  input,
});
export const refuse = (
  status: number,
  message = 'refused by the script',
  details: RefusalDetails = {},
): Reply => ({kind: 'refuse', status, message, ...details});
export const fail = (code: string, message = 'failed by the script'): Reply => ({
  kind: 'fail',
  code,
  message,
});
export const cut = (when: 'before' | 'within'): Reply => ({kind: 'cut', when});
export const holdUntil = (hold: Hold, text = 'released'): Reply => ({kind: 'hold', hold, text});

export function createHold(): Hold {
  let reach = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {reached, released, reach: () => reach(), release: () => release()};
}

/** A scripted model on loopback that speaks both vendors' protocols. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const holds = new Set<Hold>();
  let replies: Reply[] = [say('ok')];

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {pathname} = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await readJson(request);
    const dialect = dialects[pathname];
    if (request.method !== 'POST' || dialect === undefined) {
      response.writeHead(404, {'content-type': 'application/json'}).end('{}');
      return;
    }
    // Agents also request titles and the like; those requests have no tools and use no scripted reply.
    if (!Array.isArray(body.tools) || body.tools.length === 0) {
      dialect.answer(response, body, say('ok'));
      return;
    }
    requests.push({path: pathname, body});
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? say('ok');
    if (reply.kind === 'say' && reply.delayMs !== undefined) await delay(reply.delayMs);
    if (reply.kind === 'hold') {
      holds.add(reply.hold);
      reply.hold.reach();
      await reply.hold.released;
    }
    if (reply.kind === 'refuse') sendRefusal(response, reply);
    else if (reply.kind === 'cut') cutOff(response, reply.when);
    else if (reply.kind === 'fail') {
      const error = {code: reply.code, message: reply.message};
      sendEvents(response, [{type: 'response.failed', response: {id: nextId('resp'), error}}]);
    } else dialect.answer(response, body, reply);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    script: (...next) => {
      replies = [...next];
    },
    close: async () => {
      for (const hold of holds) hold.release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Body = Readonly<Record<string, unknown>>;
type Dialect = {answer(response: ServerResponse, body: Body, reply: SpokenReply): void};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function sendRefusal(
  response: ServerResponse,
  {status, message, headers, error}: Extract<Reply, {kind: 'refuse'}>,
): void {
  const body = {type: 'error', error: {type: errorTypes[status] ?? 'api_error', message, ...error}};
  response
    .writeHead(status, {'content-type': 'application/json', 'retry-after': '0', ...headers})
    .end(JSON.stringify(body));
}

function cutOff(response: ServerResponse, when: 'before' | 'within'): void {
  if (when === 'before') {
    response.destroy();
    return;
  }
  response.writeHead(200, {'content-type': 'text/event-stream'});
  response.write(': the stream begins\n\n', () => response.destroy());
}

let calls = 0;
const nextId = (prefix: string) => `${prefix}_${++calls}`;

const anthropic: Dialect = {
  answer(response, body, reply) {
    const content = anthropicContent(reply);
    const stop_reason = content.some(({type}) => type === 'tool_use') ? 'tool_use' : 'end_turn';
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model: body.model,
      stop_sequence: null,
      usage: {input_tokens: 100, output_tokens: 1},
    };
    if (body.stream !== true) {
      response
        .writeHead(200, {'content-type': 'application/json'})
        .end(JSON.stringify({...message, content, stop_reason}));
      return;
    }
    sendEvents(response, [
      {type: 'message_start', message: {...message, content: [], stop_reason: null}},
      ...content.flatMap((block, index) => [
        {type: 'content_block_start', index, content_block: emptied(block)},
        {type: 'content_block_delta', index, delta: deltaOf(block)},
        {type: 'content_block_stop', index},
      ]),
      {type: 'message_delta', delta: {stop_reason, stop_sequence: null}, usage: {output_tokens: 20}},
      {type: 'message_stop'},
    ]);
  },
};

type Block =
  | {readonly type: 'text'; readonly text: string}
  | {readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Body};

function anthropicContent(reply: SpokenReply): Block[] {
  if (reply.kind === 'run') {
    const call = {command: reply.command, description: 'as scripted'};
    return [
      ...(reply.say === undefined ? [] : [{type: 'text', text: reply.say} as const]),
      {type: 'tool_use', id: nextId('toolu'), name: 'Bash', input: call},
    ];
  }
  if (reply.kind === 'tool') {
    return [{type: 'tool_use', id: nextId('toolu'), name: reply.name, input: reply.input}];
  }
  return [{type: 'text', text: reply.text}];
}

const emptied = (block: Block): Block =>
  block.type === 'text' ? {...block, text: ''} : {...block, input: {}};

const deltaOf = (block: Block) =>
  block.type === 'text'
    ? {type: 'text_delta', text: block.text}
    : {type: 'input_json_delta', partial_json: JSON.stringify(block.input)};

const openai: Dialect = {
  answer(response, _body, reply) {
    const id = nextId('resp');
    const items = openaiItems(reply);
    const usage = {
      input_tokens: 100,
      input_tokens_details: {cached_tokens: 0},
      output_tokens: 20,
      output_tokens_details: {reasoning_tokens: 0},
      total_tokens: 120,
    };
    sendEvents(response, [
      {type: 'response.created', response: {id}},
      ...items.flatMap((item, output_index) => [
        {type: 'response.output_item.added', output_index, item},
        {type: 'response.output_item.done', output_index, item},
      ]),
      {type: 'response.completed', response: {id, usage}},
    ]);
  },
};

function openaiItems(reply: SpokenReply): Body[] {
  const call = (name: string, input: Body, namespace?: string) => ({
    type: 'function_call',
    id: nextId('fc'),
    call_id: nextId('call'),
    name,
    ...(namespace === undefined ? {} : {namespace}),
    arguments: JSON.stringify(input),
  });
  const message = (text: string) => ({
    type: 'message',
    id: nextId('msg'),
    role: 'assistant',
    content: [{type: 'output_text', text}],
  });
  if (reply.kind === 'run') {
    return [
      ...(reply.say === undefined ? [] : [message(reply.say)]),
      call('exec_command', {cmd: reply.command}),
    ];
  }
  return [reply.kind === 'tool' ? call(reply.name, reply.input, reply.namespace) : message(reply.text)];
}

const dialects: Readonly<Record<string, Dialect>> = {'/v1/messages': anthropic, '/v1/responses': openai};

function sendEvents(response: ServerResponse, events: ReadonlyArray<Body & {readonly type: string}>): void {
  response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-cache'});
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

async function readJson(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null ? {...value} : {};
  } catch {
    return {};
  }
}
