/** A plan of so many tasks for the benchmarks; `vary` gives a task other fields, by its place. */
export function samplePlan(count, vary = () => ({})) {
  const at = '2026-01-01T00:00:00Z';
  const items = {};
  for (let index = 0; index < count; index++) {
    const id = sampleId(index);
    items[id] = {
      id,
      title: `Task number ${index}`,
      description: 'A description of ordinary length that says what is to be done and why.',
      acceptanceCriteria: ['the tests pass', 'the command prints the result'],
      prompt: 'Implement the task as described and verify it with the tests.',
      parentId: null,
      childIds: [],
      deps: [],
      status: 'todo',
      createdAt: at,
      updatedAt: at,
      ...vary(index),
    };
  }
  return {schemaVersion: 1, items};
}

export const sampleId = (index) => `task-${String(index).padStart(5, '0')}`;
