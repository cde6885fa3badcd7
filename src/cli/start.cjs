#!/usr/bin/env node
// The first file that runs, in the syntax of the oldest Nodes, so that each comes as far as the sentence below.
// The build puts in BLACKBIRD_PROGRAM, BLACKBIRD_VERSION and BLACKBIRD_NODE, the oldest Node that will do.
if (Number(process.versions.node.split('.')[0]) < BLACKBIRD_NODE) {
  console.error(
    'error: ' +
      BLACKBIRD_PROGRAM +
      ' needs Node.js ' +
      BLACKBIRD_NODE +
      ' or newer; this is ' +
      process.version
  );
  process.exitCode = 1;
} else if (process.argv.length === 3 && ['--version', '-V', '-v'].indexOf(process.argv[2]) >= 0) {
  // Answered before anything is loaded: scripts and shells ask for it all the time.
  process.stdout.write(BLACKBIRD_VERSION + '\n');
} else {
  require('./load.cjs')(BLACKBIRD_PROGRAM);
}
