/** Injected by the build from package.json; undefined when the sources run directly, as in tests. */
declare const BLACKBIRD_VERSION: string | undefined;

export const version = typeof BLACKBIRD_VERSION === 'string' ? BLACKBIRD_VERSION : '0.0.0-source';
