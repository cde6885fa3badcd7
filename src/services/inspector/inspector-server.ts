import {randomBytes} from 'node:crypto';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {messageOf} from '../contracts/errors.ts';
import type {Inspected, Inspector} from '../contracts/inspector.ts';
import {streamEntries} from './event-stream.ts';
import {listen} from './listen.ts';
import {readAsset} from './page-assets.ts';
import {checkRequest, safetyHeaders} from './request-check.ts';
import {routeTo} from './routes.ts';

export type InspectorOptions = {
  /** 0 for any free port. */
  readonly port: number;
  /** For a process that only serves the page. Otherwise an open page must not keep the process alive. */
  readonly keepsAlive?: boolean;
};

/** Time allowed for the last updates to a page. */
const goodbyeMilliseconds = 200;

/** Serves the inspector's page on this machine only, to anyone with its address. */
export async function startInspector(inspected: Inspected, options: InspectorOptions): Promise<Inspector> {
  const token = randomBytes(16).toString('base64url');
  const streams = new Map<ServerResponse, () => void>();
  const server = createServer((request, response) => {
    response.once('close', () => streams.delete(response));
    answer(inspected, request, response, {port, token, streams}).catch((error) => fail(response, error));
  });
  if (!options.keepsAlive) server.on('connection', (socket) => socket.unref());
  const port = await listen(server, options.port);
  if (!options.keepsAlive) server.unref();
  // Open pages see the end as well; these writes reach the kernel before the process exits.
  const sayGoodbye = () => {
    for (const [response, send] of streams) {
      send();
      response.end('event: end\ndata: \n\n');
    }
  };
  process.once('exit', sayGoodbye);
  return {
    url: `http://127.0.0.1:${port}/${token}/`,
    port,
    token,
    close: () => {
      process.off('exit', sayGoodbye);
      sayGoodbye();
      server.close();
      server.closeIdleConnections();
      // Browsers keep connections open for later requests, which will not come.
      setTimeout(() => server.closeAllConnections(), goodbyeMilliseconds).unref();
    },
  };
}

type Door = {
  readonly port: number;
  readonly token: string;
  /** The connected pages, and how to flush what is queued for each. */
  readonly streams: Map<ServerResponse, () => void>;
};

async function answer(
  inspected: Inspected,
  request: IncomingMessage,
  response: ServerResponse,
  {streams, ...door}: Door,
): Promise<void> {
  const checked = checkRequest(request, door);
  if (!checked.isAllowed) return refuse(response, checked.status);
  const found = await routeTo(inspected, checked.path, checked.query);
  // The client hung up in the meantime, so no close event would ever stop a stream.
  if (response.destroyed) return;
  if (found?.type === 'data') return sendJson(response, found.data);
  if (found?.type === 'stream') {
    response.writeHead(200, {...safetyHeaders, 'Content-Type': 'text/event-stream; charset=utf-8'});
    streams.set(response, streamEntries(found.source, response));
    return;
  }
  const asset = found === null ? await readAsset(checked.path) : null;
  if (asset === null) return refuse(response, 404);
  response.writeHead(200, {...safetyHeaders, 'Content-Type': asset.type}).end(asset.body);
}

function sendJson(response: ServerResponse, data: unknown): void {
  const type = 'application/json; charset=utf-8';
  response.writeHead(200, {...safetyHeaders, 'Content-Type': type}).end(JSON.stringify(data));
}

const refusals = {403: 'Forbidden', 404: 'Not found', 405: 'Only GET'} as const;

function refuse(response: ServerResponse, status: keyof typeof refusals): void {
  const allow = status === 405 ? {Allow: 'GET'} : {};
  response
    .writeHead(status, {...safetyHeaders, ...allow, 'Content-Type': 'text/plain; charset=utf-8'})
    .end(`${refusals[status]}\n`);
}

function fail(response: ServerResponse, error: unknown): void {
  if (!response.headersSent) response.writeHead(500, {...safetyHeaders, 'Content-Type': 'text/plain'});
  response.end(`${messageOf(error)}\n`);
}
