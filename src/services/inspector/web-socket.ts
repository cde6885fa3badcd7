import {createHash} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';

/** One who listens: texts go out; of what comes in, only the end and the question whether we live count. */
export type Listener = {
  send(text: string): void;
  close(): void;
  readonly closed: Promise<void>;
};

const opcodes = {text: 0x1, close: 0x8, ping: 0x9, pong: 0xa} as const;
/** RFC 6455 gives control frames no more than 125 bytes, and nobody has anything else to tell us. */
const mostIncoming = 64 * 1024;

/** Accepts a WebSocket (RFC 6455) on an upgrade request that was checked already; null when it is none. */
export function acceptWebSocket({headers}: IncomingMessage, socket: Duplex): Listener | null {
  const key = headers['sec-websocket-key'];
  const isAsked = headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === '13';
  if (!isAsked || key === undefined) return null;
  // The constant is the protocol's own.
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      '\r\n',
    ].join('\r\n'),
  );
  const end = () => socket.end(frame(opcodes.close, Buffer.alloc(0)));
  let waiting = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    for (let next = takeFrame(waiting); next; next = takeFrame(waiting)) {
      waiting = waiting.subarray(next.length);
      if (next.opcode === opcodes.close) end();
      if (next.opcode === opcodes.ping) socket.write(frame(opcodes.pong, next.payload));
    }
    if (waiting.length > mostIncoming) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  return {
    send: (text) => {
      if (socket.writable) socket.write(frame(opcodes.text, Buffer.from(text, 'utf8')));
    },
    close: end,
    closed,
  };
}

/** A whole, unmasked frame, as servers send them. */
function frame(opcode: number, payload: Buffer): Buffer {
  const {length} = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first frame of what came in, unmasked; null until it is whole. */
function takeFrame(bytes: Buffer): {opcode: number; payload: Buffer; length: number} | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < head + 4) return null;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const length = head + 4 + size;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(
    bytes.subarray(head + 4, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0)),
  );
  return {opcode: (bytes[0] ?? 0) & 0x0f, payload, length};
}
