import path from 'node:path';
import {expect, test} from 'vitest';
import {isOwnFolder, ownNames} from '../../../src/services/git/known-names.ts';
import {projectFolder} from '../../../src/services/stores/project-folder.ts';

test('every file and folder of a project is known, so none is shown as a side effect', () => {
  const {root: _root, planFile: _plan, stateFolder, ...places} = projectFolder('/project');
  const names = Object.values(places).map((place) => path.relative(stateFolder, place));
  expect(
    names.filter((name) => !ownNames.has(name) && !isOwnFolder(name)),
    'src/services/git/known-names.ts does not have these',
  ).toEqual([]);
});
