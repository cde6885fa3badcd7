// Apart from start.cjs: a Node that does not know `import()` refuses the whole file it is in.
module.exports = (program) => import('./main.js').then((main) => main.start(program));
