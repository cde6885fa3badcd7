// Loaded with `node --require` before the built program: stands between it and Node's file functions, counts every
// step that changes something below a folder, and at the chosen one kills the process: before it, after it, in the
// middle of a write, or after it with all that was never synced taken away (a power cut).
const fs = require('node:fs');
const {syncBuiltinESMExports} = require('node:module');
const path = require('node:path');
const {createDisk} = require('./power-cut.cjs');

// {root, kind: 'count' | 'before' | 'after' | 'torn' | 'power' | 'names', at, report}; `at: 0`: at the exit.
const order = JSON.parse(process.env.BLACKBIRD_CRASH_POINT ?? 'null');
if (order !== null) stand(order);

function stand({root, kind, at, report}) {
  const real = {...fs};
  const promises = {...fs.promises};
  /** Node makes some functions of others: only the outer one is a step. */
  let isInside = false;
  const disk = kind === 'power' || kind === 'names' ? unseen(createDisk(real)) : null;
  /** Where each open descriptor leads, for those below the root. */
  const places = new Map();
  const steps = [];

  /** What the model of the disk reads and writes is no step. */
  function unseen(model) {
    const quiet =
      (call) =>
      (...args) => {
        const wasInside = isInside;
        isInside = true;
        try {
          return call(...args);
        } finally {
          isInside = wasInside;
        }
      };
    return Object.fromEntries(Object.entries(model).map(([name, call]) => [name, quiet(call)]));
  }

  const placeOf = (file) => {
    if (typeof file === 'number') return places.get(file) ?? null;
    const place = path.resolve(file instanceof URL ? file.pathname : String(file));
    return place === root || place.startsWith(`${root}${path.sep}`) ? place : null;
  };

  const die = () => {
    process.kill(process.pid, 'SIGKILL');
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  };
  const cutPower = () => disk?.cut({keepsNames: kind === 'names'});

  /** One step, whether it answers at once or later. `half`: the step done in part, where that is possible. */
  const take = (name, place, whole, {half, after} = {}) => {
    if (place === null || isInside) return whole();
    steps.push(`${name} ${path.relative(root, place)}`);
    const isLast = steps.length === at && kind !== 'count';
    if (isLast && kind === 'before') die();
    if (isLast && kind === 'torn') {
      const torn = half?.();
      return torn instanceof Promise ? torn.then(die, die) : die();
    }
    const end = () => {
      if (!isLast) return;
      cutPower();
      die();
    };
    const done = (result) => {
      if (disk) after?.(disk, result);
      end();
      return result;
    };
    let result;
    isInside = true;
    try {
      result = whole();
    } catch (error) {
      end();
      throw error;
    } finally {
      isInside = false;
    }
    if (!(result instanceof Promise)) return done(result);
    return result.then(done, (error) => {
      end();
      throw error;
    });
  };

  const withPromise =
    (call) =>
    (...args) =>
      new Promise((resolve, reject) => {
        call(...args, (error, result) => (error ? reject(error) : resolve(result)));
      });

  /** Stands before a function in each of its forms: at once, with a callback, with a promise. */
  const replace = (name, around) => {
    const [now, later, promised] = [real[`${name}Sync`], real[name], promises[name]];
    if (now) fs[`${name}Sync`] = (...args) => around(args, now);
    if (promised) fs.promises[name] = async (...args) => around(args, promised);
    if (later)
      fs[name] = (...args) => {
        const done = args.pop();
        Promise.resolve()
          .then(() => around(args, withPromise(later)))
          .then(
            (result) => process.nextTick(done, null, result),
            (error) => process.nextTick(done, error),
          );
      };
  };

  const {O_CREAT, O_RDWR, O_WRONLY} = fs.constants;
  const isWriting = (flags = 'r') =>
    typeof flags === 'number' ? (flags & (O_CREAT | O_RDWR | O_WRONLY)) !== 0 : /^[wa]|\+/.test(flags);

  replace('open', (args, call) => {
    if (isInside) return call(...args);
    const place = placeOf(args[0]);
    const known = (handle) => {
      const descriptor = typeof handle === 'number' ? handle : handle.fd;
      places.delete(descriptor);
      if (place !== null) places.set(descriptor, place);
      if (place !== null) disk?.opened(descriptor, place, isWriting(args[1]));
      return handle;
    };
    const open = () => {
      const handle = call(...args);
      return handle instanceof Promise ? handle.then(known) : known(handle);
    };
    if (!isWriting(args[1])) return open();
    disk?.touch(place);
    return take('open', place, open);
  });

  replace('write', ([handle, data, ...rest], call) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const from = typeof data === 'string' ? 0 : Number(rest[0] ?? 0);
    const half = () => real.writeSync(handle, bytes, from, Math.floor((bytes.length - from) / 2));
    return take('write', placeOf(handle), () => call(handle, data, ...rest), {half});
  });

  replace('writeFile', ([file, data, ...rest], call) => {
    const place = placeOf(file);
    const half = () => real.writeFileSync(file, data.slice(0, Math.floor(data.length / 2)), ...rest);
    disk?.touch(place);
    return take('write', place, () => call(file, data, ...rest), {
      half,
      after: (model) => model.created(place),
    });
  });

  for (const name of ['fsync', 'fdatasync']) {
    replace(name, ([handle], call) => {
      const place = placeOf(handle);
      return take('sync', place, () => call(handle), {after: (model) => model.synced(handle, place)});
    });
  }

  for (const name of ['ftruncate', 'fchmod']) {
    replace(name, ([handle, ...rest], call) => take(name, placeOf(handle), () => call(handle, ...rest)));
  }

  for (const name of ['rename', 'link', 'copyFile']) {
    replace(name, ([from, to, ...rest], call) => {
      const [source, target] = [placeOf(from), placeOf(to)];
      for (const place of [source, target]) disk?.touch(place);
      const after = (model) => (name === 'copyFile' ? model.created(target) : model[name](source, target));
      return take(name, target ?? source, () => call(from, to, ...rest), {after});
    });
  }

  for (const name of ['unlink', 'rmdir', 'rm']) {
    replace(name, ([file, ...rest], call) => {
      const place = placeOf(file);
      disk?.touch(place);
      return take(name, place, () => call(file, ...rest), {after: (model) => model.removed(place)});
    });
  }

  replace('mkdir', ([file, ...rest], call) => {
    const place = placeOf(file);
    disk?.touchFolders(place, root);
    return take('mkdir', place, () => call(file, ...rest), {after: (model) => model.madeFolders(place)});
  });

  const forget = (handle) => {
    places.delete(handle);
    disk?.closed(handle);
  };
  fs.closeSync = (handle) => {
    forget(handle);
    return real.closeSync(handle);
  };
  fs.close = (handle, ...rest) => {
    forget(handle);
    return real.close(handle, ...rest);
  };

  /** The methods of a handle that change something; Node gives every handle a `close` of its own. */
  const opens = fs.promises.open;
  fs.promises.open = async (...args) => {
    const handle = await opens(...args);
    const [place, {fd}] = [placeOf(handle.fd), handle];
    if (place === null) return handle;
    const [close, write, sync, truncate] = ['close', 'write', 'sync', 'truncate'].map((name) =>
      handle[name].bind(handle),
    );
    const half = (data) => () => {
      const bytes = Buffer.from(data);
      return real.writeSync(fd, bytes, 0, Math.floor(bytes.length / 2));
    };
    handle.close = async () => {
      forget(fd);
      return close();
    };
    handle.write = async (data, ...rest) =>
      take('write', place, () => write(data, ...rest), {half: half(data)});
    handle.sync = async () => take('sync', place, () => sync(), {after: (model) => model.synced(fd, place)});
    handle.truncate = async (...rest) => take('ftruncate', place, () => truncate(...rest));
    return handle;
  };
  syncBuiltinESMExports();

  process.on('exit', (code) => {
    const lost = at === 0 && disk !== null ? disk.unsynced() : [];
    if (at === 0) cutPower();
    if (report) real.writeFileSync(report, JSON.stringify({code, steps, lost}));
  });
}
