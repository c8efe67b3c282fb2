import type { UserConfig } from 'vite';

/** Modules that every page of this version has, by name. */
export const SHARED: readonly string[];

/**
 * The Vite configuration of a tab: `entry` is its module, `out` the directory that the plugin names as its `frontend`.
 */
export function insightPlugin(options: { readonly entry: string; readonly out: string }): UserConfig;
