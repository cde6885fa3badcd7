import {expect, test} from 'vitest';
import {editedProposal} from '../../../src/machines/policies/planning/edited-proposal.ts';
import type {ProposedOperation} from '../../../src/services/contracts/plan-draft.ts';

const add = (id: string, fields: object = {}): ProposedOperation => ({
  type: 'add',
  task: {
    ...{
      id,
      parentId: null,
      title: `Build ${id}`,
      description: '',
      acceptanceCriteria: [],
      prompt: '',
      deps: [],
    },
    ...fields,
  },
});
const edit = (taskId: string, title: string): ProposedOperation => ({type: 'edit', taskId, fields: {title}});
const drop = (taskId: string): ProposedOperation => ({type: 'delete', taskId, cascade: true});

test.each([
  {name: 'nothing', operations: [], stands: [], leftOut: []},
  {
    name: 'an added task that was edited twice',
    operations: [add('a'), add('b'), edit('a', 'One'), edit('a', 'Two')],
    stands: [add('a', {title: 'Two'}), add('b')],
    leftOut: [],
  },
  {
    name: 'an added task that was dropped, with the tasks below it and their dependents',
    operations: [
      add('c', {deps: ['b', 'd']}),
      add('a'),
      add('b', {parentId: 'a'}),
      add('d'),
      edit('b', 'Edited'),
      drop('a'),
    ],
    stands: [add('c', {deps: ['d']}), add('d')],
    leftOut: ['a', 'b'],
  },
  {
    name: 'an added task that was dropped after it was moved',
    operations: [add('a'), {type: 'move' as const, taskId: 'a', place: {parentId: 'p'}}, drop('a')],
    stands: [],
    leftOut: ['a'],
  },
  {
    name: 'changes to tasks of the plan, in plan order',
    operations: [drop('old'), edit('x', 'One'), add('a'), edit('x', 'Two')],
    stands: [add('a'), drop('old'), edit('x', 'One'), edit('x', 'Two')],
    leftOut: [],
  },
])('$name', ({operations, stands, leftOut}) => {
  expect(editedProposal(operations)).toEqual({operations: stands, leftOut});
});
