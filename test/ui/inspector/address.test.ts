import {expect, test} from 'vitest';
import {type Address, addressText, latest, parseAddress} from '../../../src/ui/inspector/address.ts';

const run = {taskId: 'a/b #c', runId: 'r-1'};

test.each<{address: Address; text: string}>([
  {address: {view: 'job', jobId: '20260110-1'}, text: '#job/20260110-1'},
  {address: {view: 'machines', subject: 'process', moment: latest, only: false}, text: '#process'},
  {
    address: {view: 'machines', subject: run, moment: {type: 'entry', session: 2, seq: 31}, only: true},
    text: '#run/a%2Fb%20%23c/r-1/2.31/only',
  },
  {
    address: {
      view: 'machines',
      subject: run,
      moment: {type: 'time', at: '2026-01-01T00:00:00.000Z', isMark: true},
      only: false,
    },
    text: '#run/a%2Fb%20%23c/r-1/!2026-01-01T00%3A00%3A00.000Z',
  },
])('$text leads back to where it was made', ({address, text}) => {
  expect(addressText(address)).toBe(text);
  expect(parseAddress(text)).toEqual(address);
});

test.each(['', '#', '#nowhere', '#run/a', '#run/%/b', '#run//'])('%s leads nowhere', (hash) => {
  expect(parseAddress(hash)).toBeNull();
});
