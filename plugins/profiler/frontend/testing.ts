/** Answers without a host, for tests. */
import type { OperatorsAnswer } from './answers/operators';
import type { ProfileAnswer, ProfileInfo } from './answers/profile';

export function profileInfo(run: string, profile: string, more: Partial<ProfileInfo> = {}): ProfileInfo {
  return { run, profile, name: profile, source: 'torch', rank: null, bytes: 1000, wall_time: 1.7e9, ...more };
}

export function profileAnswer(info: ProfileInfo, more: Partial<ProfileAnswer> = {}): ProfileAnswer {
  return {
    ...info,
    state: 'ready',
    read: 1000,
    total: 1000,
    version: 1,
    failure: null,
    complete: true,
    notes: [],
    views: ['overview', 'operators'],
    ...more,
  };
}

export function operatorsAnswer(
  rows: readonly (readonly [type: string, self: number, share: number])[],
  other: Partial<OperatorsAnswer['other']> = {},
): OperatorsAnswer {
  const none = { rows: 0, calls: null, total: null, self: null, share: null };
  return {
    columns: [
      { name: 'type', unit: 'text' },
      { name: 'self', unit: 'ns' },
      { name: 'share', unit: 'share' },
    ],
    rows,
    total: rows.length,
    of: rows.length,
    by: 'type',
    side: 'host',
    sides: ['host'],
    warm_up: [],
    sum: none,
    other: { ...none, ...other },
  };
}
