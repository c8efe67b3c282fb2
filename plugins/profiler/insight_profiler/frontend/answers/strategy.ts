/** The answer about the parallel strategy of a model. null: not known. */

export interface TensorInfo {
  readonly data_type: string;
  readonly shape: readonly number[] | null;
}

export interface StrategyOperator {
  readonly name: string;
  readonly type: string;
  readonly scope: string;
  readonly full_name: string;
  readonly instance: string;
  readonly inputs: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly outputs: readonly TensorInfo[];
}

export interface StrategyStage {
  readonly stage: number;
  readonly rank: number;
  readonly type: string;
  readonly devices: readonly number[];
  readonly operators: readonly StrategyOperator[];
}

export interface StrategyAnswer {
  readonly stages: readonly StrategyStage[];
  readonly parameters: readonly ({ readonly name: string } & TensorInfo)[];
}
