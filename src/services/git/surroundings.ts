import {readdirSync, readFileSync, realpathSync, renameSync, statSync} from 'node:fs';
import path from 'node:path';
import {messageOf} from '../contracts/errors.ts';
import type {NewIgnored, SettingsContent, SurroundingsReader, Unknown} from '../contracts/side-effects.ts';
import {createStateVersions} from '../stores/record-versions.ts';
import {textWriter} from '../stores/text-trail.ts';
import {createWriteTrail, type WriteTrail} from '../stores/write-trail.ts';
import {repositoryOf} from './find-repository.ts';
import type {IgnoredLook, IgnoredMemory} from './ignored-files.ts';
import {commonFolderOf, digestOf, isTold, readRepository} from './read-repository.ts';
import type {Environment} from './safe-git.ts';
import type {IndexChanges, IndexMemory} from './staged-files.ts';
import type {UnseenOptions} from './unseen-files.ts';

/** Package folders have many files; the end of a task waits no longer than this for them. */
const walkLimits = {entries: 200_000, milliseconds: 3_000};

/** Blackbird writes the plan itself while a task runs; an edit by anyone else is reported as such. */
const toldElsewhere: ReadonlySet<string> = new Set(['.git', 'blackbird.plan.json']);

export function createSurroundingsReader({
  root,
  stateFolder,
  settings,
  env,
  trail = createWriteTrail(null),
  timeLimitMs = 20_000,
}: {
  root: string;
  stateFolder: string;
  /** By the name shown to the user. */
  settings: Readonly<Record<string, string>>;
  env: Environment;
  /** The writes of drafts and comments by any Blackbird. */
  trail?: WriteTrail;
  timeLimitMs?: number;
}): SurroundingsReader {
  const repository = () => repositoryOf(root);
  const stateVersions = createStateVersions(stateFolder);
  let stateMemory: ReturnType<typeof import('./foreign-files.ts').createStateMemory> | undefined;
  let remembered: {readonly ignored: IgnoredMemory; readonly index: IndexMemory} | undefined;
  /** Modules that load git are imported on demand. */
  const memory = async () => {
    const {IgnoredMemory: Ignored} = await import('./ignored-files.ts');
    const {IndexMemory: Index} = await import('./staged-files.ts');
    remembered ??= {ignored: new Ignored(), index: new Index()};
    return remembered;
  };
  const lookAt = (top: string): IgnoredLook => ({
    env,
    signal: AbortSignal.timeout(timeLimitMs),
    leftOut: path.relative(top, realFolder(stateFolder) ?? stateFolder),
  });
  const ignoredNow = async (top: string) => {
    const {ignoredIn} = await import('./ignored-files.ts');
    const {ignored, index} = await memory();
    index.remember(top);
    return ignored.now(top, () => ignoredIn(top, lookAt(top))).catch(reasonOf);
  };
  return {
    standing: async () => {
      const top = repository();
      if (top === null) return null;
      const {repositoryStanding} = await import('./repository-standing.ts');
      return repositoryStanding(top, env, AbortSignal.timeout(timeLimitMs));
    },

    look: async ({withIgnored} = {withIgnored: false}) => {
      const top = repository();
      const versions = stateVersions();
      const ignored = top !== null && withIgnored ? await ignoredNow(top) : null;
      return {
        ...versions,
        ...(ignored && {ignored}),
        settings: new Map(Object.entries(settings).map(([name, file]) => [name, digestOf(file)])),
        contents: contentsOf(settings),
        repository: top === null ? null : readRepository(top),
      };
    },

    // Only the holder of the project lock, which is this process, writes feedback: a trail by others would be forged.
    writerOf: (name, from, to) =>
      name.startsWith('parent-review-feedback/') ? null : textWriter(trail, name, from, to),

    putAside: (names) => new Set(names.filter((name) => isPutAside(path.join(stateFolder, name)))),

    writtenSince: async (time) => {
      const folder = realFolder(root);
      if (folder === null) return nothing;
      const {changedSince} = await import('./changed-since.ts');
      const own = realFolder(stateFolder) ?? stateFolder;
      const entries = readdirSync(folder, {withFileTypes: true})
        .filter(({name}) => !toldElsewhere.has(name) && path.join(folder, name) !== own)
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
      return changedSince(folder, entries, Date.parse(time), walkLimits);
    },

    ignoredSince: async (time, before = []) => {
      const top = repository();
      const since = Date.parse(time);
      const {createStateMemory, foreignFilesIn} = await import('./foreign-files.ts');
      stateMemory ??= createStateMemory(stateFolder);
      const strange = await foreignFilesIn(stateFolder, since, {limits: walkLimits, memory: stateMemory});
      const hidden = strange.count > 0 && {hidden: strange};
      if (top === null) return {...nothing, ...hidden};
      const {ignoredIn} = await import('./ignored-files.ts');
      const {changedSince} = await import('./changed-since.ts');
      const {GitFailure} = await import('./safe-git.ts');
      const look = lookAt(top);
      const {ignored: kept, index} = await memory();
      const removed = 'why' in before ? nothing : kept.gone(top, before);
      const staged = await index.changesSince(top, look).catch(reasonOf);
      const unknown: Unknown[] = [
        ...('why' in before ? [{what: 'removed' as const, ...before}] : []),
        ...('why' in staged ? [{what: 'staged' as const, ...staged}] : []),
      ];
      const none = {
        ...nothing,
        ...hidden,
        ...(removed.count > 0 && {removed}),
        ...(!('why' in staged) && indexFiles(staged)),
        ...(unknown.length > 0 && {unknown}),
      };
      try {
        const foreign = kept.keep(top, await ignoredIn(top, look));
        const ignored = await changedSince(top, foreign, since, walkLimits);
        const passed = [...foreign, `${look.leftOut}/`];
        const unseen = await unseenFiles(top, {
          since,
          passed,
          ignoredIn: (folder) => ignoredIn(folder, look),
        });
        const isCut = ignored.isCut || unseen.isCut;
        return {...none, ...unseen.found, ...ignored, ...(isCut && {isCut})};
      } catch (error) {
        const isTooMuch = look.signal.aborted || (error instanceof GitFailure && error.kind === 'large');
        if (isTooMuch) return {...none, isCut: true};
        return {...none, unknown: [...unknown, {what: 'ignored', ...reasonOf(error)}]};
      }
    },
  };
}

/** Files that no git listing contains. */
async function unseenFiles(
  top: string,
  {since, passed, ignoredIn}: Pick<UnseenOptions, 'since' | 'passed' | 'ignoredIn'>,
): Promise<{readonly found: Pick<NewIgnored, 'inGit' | 'unseen'>; readonly isCut: boolean}> {
  const {unseenSince} = await import('./unseen-files.ts');
  const {foreignFilesInGit} = await import('./foreign-files.ts');
  const walk = {left: walkLimits.entries, until: Date.now() + walkLimits.milliseconds};
  const common = commonFolderOf(top);
  const own = common === null ? [] : await foreignFilesInGit(common, '.git/', {since, walk, isTold});
  const {inGit, others, isCut} = await unseenSince(top, {
    since,
    passed,
    limits: walkLimits,
    // A repository git cannot read ignores nothing.
    ignoredIn: (folder) => ignoredIn(folder).catch(() => []),
  });
  const all = {count: own.length + inGit.count, names: [...own, ...inGit.names].slice(0, shownNames)};
  return {
    found: {...(all.count > 0 && {inGit: all}), ...(others.count > 0 && {unseen: others})},
    isCut: isCut || walk.left <= 0,
  };
}

function indexFiles({staged, overlooked}: IndexChanges): Pick<NewIgnored, 'staged' | 'overlooked'> {
  const found = (names: readonly string[]) => ({count: names.length, names: names.slice(0, shownNames)});
  return {
    ...(staged.length > 0 && {staged: found(staged)}),
    ...(overlooked.length > 0 && {overlooked: found(overlooked)}),
  };
}

const reasonOf = (error: unknown): {readonly why: string} => ({why: messageOf(error)});

const shownNames = 5;
const nothing: NewIgnored = {count: 0, names: []};

/** The maximum size of a settings file. */
const maxSettingsBytes = 1024 * 1024;

function contentsOf(settings: Readonly<Record<string, string>>): Map<string, SettingsContent | null> {
  const files = Object.entries(settings).filter(([name]) => name.endsWith('config.json'));
  return new Map(
    files.flatMap(([name, file]) => {
      const content = contentOf(file);
      return content === undefined ? [] : [[name, content] as const];
    }),
  );
}

/** Null if there is no file, undefined if it cannot be parsed. */
function contentOf(file: string): SettingsContent | null | undefined {
  try {
    const found = statSync(file, {throwIfNoEntry: false});
    if (found === undefined) return null;
    if (!found.isFile() || found.size > maxSettingsBytes) return undefined;
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    // Content nested too deeply to serialize could not be compared either.
    return JSON.stringify(content).startsWith('{') ? (content as SettingsContent) : undefined;
  } catch {
    return undefined;
  }
}

/** The file stays beside its place, so that the user can read what was planted. */
function isPutAside(file: string): boolean {
  try {
    renameSync(file, `${file}.planted`);
    return true;
  } catch {
    // It is named as one that is still there.
    return false;
  }
}

function realFolder(folder: string): string | null {
  try {
    return realpathSync(folder);
  } catch {
    return null;
  }
}
