/** The answer about floating-point operations. null: not known. */

export interface FlopsRates {
  readonly flops: number | null;
  readonly flops_per_second: number | null;
  /** Of what the device can. */
  readonly utilization: number | null;
}

export interface FlopsAnswer {
  readonly summary?: FlopsRates & { readonly cube?: FlopsRates; readonly vector?: FlopsRates };
  readonly nodes?: readonly string[];
  readonly links?: readonly { readonly source: string; readonly target: string; readonly flops: number | null }[];
}
