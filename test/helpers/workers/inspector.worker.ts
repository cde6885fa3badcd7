import type {InspectorFacts} from '../../../src/services/contracts/inspector.ts';
import {startInspector} from '../../../src/services/inspector/inspector-server.ts';
import {entry, fakeSource} from '../../fakes/journal-entries.ts';

// A process that is inspected while it works: it runs until told to go, and exits with a last entry.
const source = fakeSource();
const facts: InspectorFacts = {
  title: 'worker',
  version: '1',
  notices: [],
  opens: 'machines',
  job_id: null,
  has_process: false,
};
const {url} = await startInspector({facts: () => facts, source, project: null}, {port: 0});
process.stdout.write(`${url}\n`);
process.stdin.once('data', () => {
  process.stdin.pause();
  source.add(entry({seq: 7}));
});
