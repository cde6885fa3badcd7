import {Argument} from 'commander';

export const idArgument = () =>
  new Argument('<id>', 'the id of a session, the beginning of one, or its name');
