/** The answer about operators and the ceilings of a device. Times are in ns; null: not known. */

export type Bound = 'compute' | 'memory' | 'neither';

/** All calls of an operator with inputs of the same shapes and types. */
export interface RooflineRow {
  readonly name: string;
  readonly shapes: string;
  /** The type that is multiplied; null where operations are not counted. */
  readonly precision: string | null;
  readonly calls: number;
  readonly time: number;
  readonly flops: number | null;
  /** Bytes of inputs and outputs. */
  readonly traffic: number | null;
  /** FLOP/byte. */
  readonly intensity: number | null;
  /** FLOP/s, and bytes a second. */
  readonly rate: number | null;
  readonly bandwidth: number | null;
  /** FLOP/s that the device reaches at most with this type. */
  readonly peak: number | null;
  /** The ceiling above the operator, and the share of it that is reached; above 1 it is in `above`. */
  readonly roof: 'compute' | 'memory' | null;
  readonly reached: number | null;
  readonly above: number | null;
  readonly bound: Bound | null;
  /** Of a step, at most. */
  readonly saving: number | null;
}

/** Bytes a second of the memory, or FLOP/s of a type. */
export interface Ceiling {
  readonly name: string;
  readonly rate: number | null;
  /** Given by the user. */
  readonly is_own: boolean;
}

/** Model and hardware FLOPs utilization of a step. */
export interface Utilization {
  readonly mfu: number | null;
  readonly hfu: number | null;
  readonly model_flops: number;
  readonly hardware_flops: number;
  readonly step_time: number;
  readonly devices: number;
  readonly types: readonly string[];
}

export interface RooflineAnswer {
  /** How operations are recorded, where the profile has none and could. */
  readonly missing: 'torch' | 'xla' | 'npu' | null;
  readonly device: string | null;
  readonly ceilings: readonly Ceiling[];
  readonly steps: number;
  readonly utilization: Utilization | null;
  readonly rows: readonly RooflineRow[];
  /** Of all operators, and of those in `rows`. */
  readonly time: number;
  readonly known: number;
  readonly left_out: number;
}
