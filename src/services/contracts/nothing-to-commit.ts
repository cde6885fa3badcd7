/** Why a run without a change was not committed; a file of its own, as the schema of a commit loads zod. */
export const nothingToCommit = 'it changed no files';
