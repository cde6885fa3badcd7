/** The model and effort requested from an agent. */
export type ModelChoice = {readonly model?: string; readonly effort?: string};

/** A word that can be an argument but never an option: `opus`, `gpt-5.2-codex`, `us.vendor.model-1:0`, `high`. */
export const isModelText = (text: string): boolean => /^\w[\w.:/@+[\]-]{0,127}$/.test(text);
