/** The answer about what to change in the profiled program. */
import type { Messages, Reason } from '@insight-host/api';

/** Where evidence is: a view, with keys of the tab's URL. `text` names the operator, kernel, step, slice or rank. */
export interface EvidencePlace {
  readonly kind: 'operator' | 'kernel' | 'step' | 'range' | 'rank' | 'figure' | 'view';
  readonly view: string;
  readonly text: string;
  readonly state: Readonly<Record<string, string>>;
}

export interface Advice {
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly saw: Reason;
  /** Why it matters; null for rules of other plugins. */
  readonly why: Reason | null;
  readonly change: Reason | null;
  readonly places: readonly EvidencePlace[];
  /** The share of the time of a step that the change saves, estimated. */
  readonly saves: number | null;
  /** How that was estimated: by replaying steps, or as the share that the cause takes. */
  readonly basis: 'replay' | 'share' | null;
  /** What it saves once the host keeps up with the device, where that is much more than now. */
  readonly later: number | null;
}

export interface CheckedRule {
  readonly id: string;
  readonly title: Reason;
  readonly state: 'found' | 'nothing' | 'unchecked';
  /** Why it could not be checked. */
  readonly reason: Reason | null;
  /** It can be once more is read. */
  readonly may_change: boolean;
}

/** Ranks of the job that are read and that are not, and bytes of all; of a profile of one rank all are 0. */
export interface RanksProgress {
  readonly shown: number;
  readonly unread: number;
  readonly read: number;
  readonly total: number;
}

export interface AdviceAnswer {
  /** Empty while the profile is being read. */
  readonly rules: readonly CheckedRule[];
  readonly advice: readonly Advice[];
  /** What the critical path of a step consists of, ns in the mean; null where the profile does not say what
   * waits for what. */
  readonly path: Readonly<Record<string, number>> | null;
  /** How well the device is used: shares by name, empty without work of a device. */
  readonly figures: Readonly<Record<string, number>>;
  readonly ranks: RanksProgress;
  readonly messages: Messages;
}
