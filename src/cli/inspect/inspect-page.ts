import {createLiveInspection} from '../../machines/live-inspection.ts';
import {machines} from '../../machines/machines.ts';
import type {EntryListener} from '../../machines/observe.ts';
import {definitionOf} from '../../machines/policies/inspect/chart.ts';
import {contextOf, createReplayer} from '../../machines/replay.ts';
import type {Inspected, Inspector, InspectorFacts} from '../../services/contracts/inspector.ts';
import type {InspectedEntry, InspectionSource} from '../../services/contracts/journal.ts';
import {startInspector} from '../../services/inspector/inspector-server.ts';
import {announceInspector} from '../../services/inspector/live-inspectors.ts';
import {ensureStateFolder} from '../../services/stores/project-folder.ts';
import {identifyProcess, livenessOf} from '../../services/system/process-identity.ts';
import type {Project} from '../composition.ts';
import type {InspectChoice} from './inspect-option.ts';
import {inspectedProject} from './inspected-project.ts';

type LiveInspectionOptions = {
  readonly project: Project;
  readonly choice: InspectChoice;
  /** What the process does, for the list of inspectable processes. */
  readonly what: string;
  readonly version: string;
  readonly now: () => string;
};

/** What this process exposes, and where. */
export type LivePage = {
  readonly url: string;
  /** For another engine of this process. */
  readonly observer: () => EntryListener;
};

/** Serves this process to anyone with the address. */
export async function startLiveInspection(options: LiveInspectionOptions): Promise<LivePage> {
  const source = createLiveInspection();
  const {url} = await (options.choice.type === 'page' ? servePage(source, options) : relay(source, options));
  const observer = () => {
    source.beginSession();
    return source.observe;
  };
  return {url, observer};
}

async function servePage(
  source: InspectionSource,
  {project, choice, what, version, now}: LiveInspectionOptions,
): Promise<Inspector> {
  const facts = {title: what, version, notices: [], opens: 'job', job_id: null} as const;
  const inspector = await startInspector(
    inspectedOf({source, project: inspectedProject(project, now)}, facts),
    choice,
  );
  const owner = identifyProcess(process.pid);
  if (owner !== null) {
    await ensureStateFolder(project.folder);
    await announceInspector(project.folder.inspectorsFolder, inspector, {
      owner,
      what,
      startedAt: now(),
      livenessOf,
    });
  }
  return inspector;
}

/** Loaded on demand: the package is large. */
async function relay(source: InspectionSource, {choice}: LiveInspectionOptions): Promise<Inspector> {
  const {startStatelyRelay} = await import('../../services/inspector/stately-relay.ts');
  const definitions = new Map(machines.map(({name, machine}) => [name, definitionOf(machine)]));
  const contexts = () => {
    const replay = createReplayer();
    return (entry: InspectedEntry) => contextOf(replay(entry)) ?? null;
  };
  return startStatelyRelay({source, definitions, contexts}, choice);
}

/** An inspection source with everything its page needs to draw it. */
export function inspectedOf(
  looked: Pick<Inspected, 'source' | 'project'>,
  facts: Omit<InspectorFacts, 'has_process'>,
): Inspected {
  const has_process = looked.source !== null && looked.project !== null;
  return {...looked, facts: () => ({...facts, has_process})};
}
