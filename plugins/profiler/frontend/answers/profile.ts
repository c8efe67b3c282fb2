/**
 * Answers about profiles: which there are, and how far each is read.
 * Times are in ns from the beginning of the profile; null: not known.
 */
import type { TableInfo } from './table';

export type Value = string | number | boolean | null;

export type Values = Readonly<Record<string, Value>>;

/** What trees of calls are about. */
export type CallsOf = 'module' | 'device' | 'host' | 'memory' | 'samples';

export interface ProfileKey {
  readonly run: string;
  readonly profile: string;
}

export type ReadingState = 'reading' | 'ready' | 'failed';

export interface ProfileInfo extends ProfileKey {
  readonly name: string;
  readonly source: string;
  readonly rank: number | null;
  readonly bytes: number;
  /** Seconds since the epoch. */
  readonly wall_time: number;
}

/** Something to know: a code with a sentence in the catalogue, and the same in English for codes that have none. */
export interface Note {
  readonly code: string;
  readonly values: Values;
  readonly text: string;
}

export interface Device {
  readonly name: string;
  readonly kind: string;
  readonly facts: Values;
}

/** A profile as far as it is read; what is optional is there as soon as something is. */
export interface ProfileAnswer extends ProfileInfo {
  readonly state: ReadingState;
  readonly read: number;
  readonly total: number;
  readonly version: number;
  readonly failure: Note | null;
  readonly complete: boolean;
  readonly notes: readonly Note[];
  readonly views: readonly string[];
  readonly tables?: Readonly<Record<string, TableInfo>>;
  readonly host?: string;
  readonly worker?: string;
  readonly world_size?: number | null;
  readonly platform?: string;
  readonly devices?: readonly Device[];
  readonly start_ns?: string | null;
  readonly duration_ns?: number;
  /** The median of its steps, ns; null without steps. */
  readonly step_time?: number | null;
  readonly step_origin?: '' | 'recorded' | 'inferred';
  readonly facts?: Values;
  readonly counts?: Readonly<Record<string, number>>;
  /** What there are trees of calls of. */
  readonly trees?: readonly CallsOf[];
}
