export const importFormats = ['md', 'task-master', 'issues', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];
