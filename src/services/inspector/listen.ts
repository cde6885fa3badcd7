import type {Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {AppError, systemErrorCode} from '../contracts/errors.ts';

/** Listens on loopback only, on the given port or (0) any free one; resolves to the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = systemErrorCode(error) === 'EADDRINUSE';
      reject(
        new AppError(
          'E_INSPECT',
          `the inspector cannot use port ${port}: ${isTaken ? 'it is taken' : error.message}`,
          {
            next: [
              {
                command: 'blackbird inspect',
                why: 'see who is being inspected; without a port, any free one is used',
              },
            ],
            cause: error,
          },
        ),
      );
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
