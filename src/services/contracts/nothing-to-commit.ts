/** Why a run without a change was not committed; a separate file, because the commit schema loads zod. */
export const nothingToCommit = 'it changed no files';
