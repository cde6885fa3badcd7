// What a disk would still hold after a power cut: the content a file had when it was last synced, under the names
// its folder had when that was last synced. Only for what this process changed.
const fs = require('node:fs');
const path = require('node:path');

/** `real`: the file functions as they were before anybody stood before them. */
exports.createDisk = (real = {...fs}) => {
  /** By path: a file as it is named now, 'folder', or null for none. */
  const names = new Map();
  /** The same as of the last sync of each folder. */
  const durable = new Map();
  /** By descriptor. */
  const open = new Map();

  const found = (place) => {
    const stats = real.lstatSync(place, {throwIfNoEntry: false});
    if (stats === undefined) return null;
    if (stats.isDirectory()) return 'folder';
    // What was there before is on the disk.
    return stats.isFile() ? {content: real.readFileSync(place), mode: stats.mode} : 'other';
  };

  const newFile = (place) => ({content: Buffer.alloc(0), mode: real.lstatSync(place).mode});

  const touch = (place) => {
    if (place === null || names.has(place)) return;
    const before = found(place);
    names.set(place, before);
    durable.set(place, before);
  };

  const opened = (handle, place, isWritten) => {
    // What is only read is none of ours, but for folders: they are opened to be synced.
    if (!isWritten) return open.set(handle, found(place) === 'folder' ? 'folder' : names.get(place));
    if (names.get(place) === null) names.set(place, newFile(place));
    open.set(handle, names.get(place));
  };

  const isLost = (place) => {
    const [now, then] = [names.get(place), durable.get(place)];
    if (now !== then) return true;
    return isFile(now) && real.existsSync(place) && !now.content.equals(real.readFileSync(place));
  };

  const put = (place, entry) => {
    if (entry === 'other') return;
    if (entry === null) return real.rmSync(place, {recursive: true, force: true});
    if (entry === 'folder') return real.mkdirSync(place, {recursive: true});
    if (!real.existsSync(path.dirname(place))) return;
    real.rmSync(place, {recursive: true, force: true});
    real.writeFileSync(place, entry.content, {mode: entry.mode & 0o777});
  };

  return {
    touch,
    opened,
    closed: (handle) => open.delete(handle),
    touchFolders: (place, root) => {
      for (let each = place; each !== null && each.length >= root.length; each = path.dirname(each))
        touch(each);
    },
    madeFolders: (place) => {
      for (let each = place; names.get(each) === null; each = path.dirname(each)) names.set(each, 'folder');
    },
    created: (place) => {
      if (!isFile(names.get(place))) names.set(place, newFile(place));
    },
    synced: (handle, place) => {
      const file = open.get(handle);
      if (isFile(file)) file.content = real.readFileSync(`/proc/self/fd/${handle}`);
      if (file !== 'folder') return;
      for (const [name, entry] of names) if (path.dirname(name) === place) durable.set(name, entry);
    },
    rename: (from, to) => {
      names.set(to, names.get(from));
      names.set(from, null);
    },
    link: (from, to) => names.set(to, names.get(from)),
    removed: (place) => names.set(place, null),
    /** What is there now and would not be after a cut, or not so. */
    unsynced: () => [...names.keys()].filter(isLost),
    /** `keepsNames`: the names survive, as they often do, and only the content is what was synced. */
    cut: ({keepsNames}) => {
      const kept = keepsNames ? names : durable;
      const places = [...kept.keys()].filter((place) => !isOfGit(place)).sort((a, b) => a.length - b.length);
      for (const place of places) put(place, kept.get(place));
    },
  };
};

const isFile = (entry) => typeof entry === 'object' && entry !== null && entry !== undefined;

/** What git keeps is written by git, too, which syncs as its own settings say. */
const isOfGit = (place) => /\/\.git(\/|$)/.test(place);
