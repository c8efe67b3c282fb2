/** The answer about floating-point operations. null: not known. */

export interface FlopsRates {
  readonly flops: number | null;
  readonly flops_per_second: number | null;
  /** Of what the device can. */
  readonly utilization: number | null;
  /** More than the device can (above 1): no share of it. */
  readonly above?: number | null;
}

/** An operator or a module: operations and time (ns) of all its calls. */
export interface FlopsRow {
  readonly name: string;
  readonly flops: number;
  readonly time: number;
  readonly calls: number;
  /** FLOP/s. */
  readonly rate: number | null;
  /** Share of the peak of the device for products of `precision`. */
  readonly peak: number | null;
  /** A share above 1, which cannot be right: `peak` is null. */
  readonly above: number | null;
  /** The type that is multiplied: `float32`, `half` … */
  readonly precision: string | null;
}

export interface FlopsAnswer {
  readonly operators: readonly FlopsRow[];
  readonly modules: readonly FlopsRow[];
  /** Whose peak is known. */
  readonly device: string | null;
  readonly summary?: FlopsRates & { readonly cube?: FlopsRates; readonly vector?: FlopsRates };
  readonly nodes?: readonly string[];
  readonly links?: readonly { readonly source: string; readonly target: string; readonly flops: number | null }[];
}
