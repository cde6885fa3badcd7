import {randomBytes} from 'node:crypto';
import {createServer, type IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {createInspector} from '@statelyai/inspect';
import {WebSocketServer} from 'ws';
import type {Inspector} from '../contracts/inspector.ts';
import type {InspectedEntry, InspectionSource, JournalValue} from '../contracts/journal.ts';
import {listen} from './listen.ts';
import {isToken} from './request-check.ts';

export type StatelySource = {
  readonly source: InspectionSource;
  /** The machine definitions as JSON, by id. */
  readonly definitions: ReadonlyMap<string, string>;
  /** Follows entries in order and returns the context after each. */
  readonly contexts: () => (entry: InspectedEntry) => JournalValue | null;
};

/**
 * A local WebSocket that speaks the protocol of `@statelyai/inspect`. Every client gets everything from the
 * beginning. It replaces the package's own server, which listens on the whole network and passes everything
 * to a page from the internet.
 */
export async function startStatelyRelay(
  stately: StatelySource,
  {port: wanted}: {port: number},
): Promise<Inspector> {
  const token = randomBytes(16).toString('base64url');
  // Clients have nothing to send.
  const sockets = new WebSocketServer({noServer: true, maxPayload: mostIncoming});
  const server = createServer((_, response) => void response.writeHead(404).end());
  server.on('connection', (socket) => socket.unref());
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // From here on nothing else handles errors: a client that hangs up early must not end the process.
    socket.on('error', () => socket.destroy());
    if (!isWelcome(request, {port, token})) {
      return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    }
    sockets.handleUpgrade(request, socket, head, (receiver) => {
      // A large initial batch may take a while to read, but later ones must not pile up behind it.
      let most = Number.POSITIVE_INFINITY;
      const stop = feed(stately, (text) => {
        if (receiver.bufferedAmount > most) receiver.terminate();
        else receiver.send(text);
      });
      most = receiver.bufferedAmount + mostUnread;
      receiver.once('close', stop);
      // The close event that follows is enough.
      receiver.on('error', () => {});
    });
  });
  const port = await listen(server, wanted);
  server.unref();
  return {
    url: `ws://127.0.0.1:${port}/${token}`,
    port,
    token,
    close: () => {
      server.close();
      for (const receiver of sockets.clients) receiver.terminate();
    },
  };
}

const mostIncoming = 64 * 1024;
/** A client that stops reading is disconnected; when it reconnects it gets everything again. */
const mostUnread = 16 * 1024 * 1024;

/** Programs send no Origin; of pages, only those served on this machine are admitted. */
function isWelcome(
  {url = '', headers}: IncomingMessage,
  {port, token}: {port: number; token: string},
): boolean {
  const {host, origin} = headers;
  const isOurs = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  const isNear = origin === undefined || /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(origin);
  return isOurs && isNear && isToken(url.slice(1), token);
}

/** Entries in the form the package's inspector sends; it knows actors only by the names we give them. */
function feed({source, definitions, contexts}: StatelySource, send: (text: string) => void): () => void {
  let current: InspectedEntry | undefined;
  const idOf = ({session}: InspectedEntry, actor: string) => `${session}:${actor}`;
  const inspector = createInspector({
    send: (event) => {
      if (!current) return;
      const root = current.actor.split('/')[0] ?? current.actor;
      const named = {rootId: idOf(current, root), createdAt: String(Date.parse(current.at))};
      const actor = {
        name: current.actor.split('/').at(-1),
        parentId: current.parent === null ? undefined : idOf(current, current.parent),
        definition: definitions.get(current.machine),
      };
      send(JSON.stringify({...event, ...named, ...(event.type === '@xstate.actor' ? actor : {})}));
    },
  });
  const contextAfter = contexts();
  const known = new Set<string>();
  const tell = (entry: InspectedEntry) => {
    current = entry;
    const id = idOf(entry, entry.actor);
    const snapshot = {status: entry.status, value: entry.state, context: contextAfter(entry)};
    if (!known.has(id)) inspector.actor(id, snapshot);
    known.add(id);
    inspector.event(id, entry.event, entry.parent === null ? {} : {source: idOf(entry, entry.parent)});
    inspector.snapshot(id, snapshot, {event: entry.event});
  };
  for (const entry of source.entries()) tell(entry);
  return source.subscribe(tell);
}
