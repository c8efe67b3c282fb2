/** What the routes answer (docs/http_api.md, "Graph"). */
import type { Reason } from '@insight-host/api';

/** Names one record of a graph, a profile or a pipeline. */
export interface RecordKey {
  readonly run: string;
  readonly tag: string;
  readonly index: number;
}
export interface GraphRecord extends RecordKey {
  readonly step: number;
  readonly wall_time: number;
  readonly size: number;
}
export interface GraphInfo extends GraphRecord {
  readonly kind: 'operators' | 'layers' | 'functions';
  readonly format: 'mindspore' | 'tensorboard' | 'keras';
  /** What to show: the file or the tag. */
  readonly name: string;
}
export interface GraphList {
  readonly graphs: readonly GraphInfo[];
  readonly profiles: readonly GraphRecord[];
  readonly pipelines: readonly GraphRecord[];
  /** Statistics of tensors. */
  readonly dumps?: readonly GraphRecord[];
}

export type NodeKind = 'scope' | 'operator' | 'constant' | 'parameter' | 'stack';
export interface OutputType {
  readonly dtype: string;
  readonly shape: readonly number[] | null;
}
export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: NodeKind;
  /** Direct members; 0 for what cannot be opened. */
  readonly children: number;
  readonly operators: number;
  readonly constants: number;
  readonly parameters: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly output_types: readonly OutputType[];
  readonly device: string;
  readonly devices: number;
  /** Microseconds; null if not known. */
  readonly time: number | null;
  readonly dynamic: boolean;
  /** Drawn at the side, its edges only while it is selected. */
  readonly aside: boolean;
  readonly structure: number;
}
export interface Proxy {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: 'proxy';
  /** The node outside that it stands for. */
  readonly of: string;
  readonly stands_for: NodeKind;
  readonly path: readonly string[];
}
type EdgeKind = 'data' | 'control';
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly count: number;
  readonly label: string;
}
interface PathStep {
  readonly id: string;
  readonly name: string;
  readonly kind: NodeKind;
}
export interface Notice {
  readonly code: string;
  readonly count: number;
  /** In English, for whoever does not know the code. */
  readonly text: string;
  /** What the sentence of the code has to say. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** Names or places, a few of them; they have codes as reasons have. */
  readonly examples: readonly Reason[];
}
export interface Scope {
  readonly id: string;
  readonly name: string;
  readonly kind: NodeKind;
  readonly path: readonly PathStep[];
  readonly graph: {
    readonly nodes: number;
    readonly edges: number;
    readonly scopes: number;
    readonly removed: number;
    readonly notices: readonly Notice[];
    readonly timed: boolean;
  };
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly Edge[];
  readonly proxies: readonly Proxy[];
  readonly omitted: { readonly edges: number; readonly proxies: number };
}

export interface Link {
  /** null for an input that is named and not in the graph. */
  readonly id: string | null;
  readonly name: string;
  /** The end of the path that tells the node from the others of the list. */
  readonly path: string;
  readonly type: string;
  readonly kind: NodeKind;
  readonly edge: EdgeKind;
  readonly slot: number | null;
  readonly output: number | null;
  readonly dtype: string;
  readonly shape: readonly number[] | null;
  readonly count: number;
  readonly missing: boolean;
}
/** A weight or constant that the readability pass lists with the node that takes it. */
export interface Folded extends OutputType {
  readonly name: string;
  readonly type: string;
  readonly kind: NodeKind;
  readonly slot: number;
  readonly value: string;
}
interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly size: number;
  readonly cut: boolean;
}
interface TypeCount {
  readonly type: string;
  readonly count: number;
  readonly time?: number | null;
}
export interface NodeDetail extends GraphNode {
  readonly path: readonly PathStep[];
  readonly scope: string;
  readonly full_name: string;
  readonly source: string;
  readonly attributes: readonly Attribute[];
  readonly input_edges: readonly Link[];
  readonly output_edges: readonly Link[];
  readonly folded?: readonly Folded[];
  readonly inputs_total: number;
  readonly outputs_total: number;
  readonly types?: readonly TypeCount[];
  readonly members?: number;
  readonly copies?: readonly string[];
  readonly stored?: Stored;
  readonly value?: string;
  readonly times?: readonly { readonly device: string; readonly start: number; readonly time: number }[];
}

export interface Found {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: NodeKind;
  readonly path: readonly string[];
}
export interface SearchAnswer {
  readonly total: number;
  readonly offset: number;
  readonly results: readonly Found[];
}
interface TraceSide {
  /** How many operators in the whole graph. */
  readonly operators: number;
  /** Among the nodes of the opened scopes. */
  readonly ids: readonly string[];
}
export interface TraceAnswer {
  readonly ancestors: TraceSide;
  readonly descendants: TraceSide;
}

/** The roles of stored tensors, in the order in which they are listed. */
export const STORED_ROLES = [
  'trainable',
  'other',
  'buffer',
  'parameter',
  'unknown',
  'optimizer',
  'input',
  'constant',
] as const;
export type StoredRole = (typeof STORED_ROLES)[number];
/** By role: how many tensors, their values and bytes; `unsized` counts those whose size the log does not record,
 * `unsized_nodes` their nodes. */
export type Stored = Readonly<
  Partial<
    Record<
      StoredRole,
      {
        readonly tensors: number;
        readonly values: number;
        readonly bytes: number;
        readonly unsized: number;
        readonly unsized_nodes: number;
      }
    >
  >
>;
export interface Statistics {
  readonly nodes: number;
  readonly operators: number;
  readonly constants: number;
  readonly parameters: number;
  readonly scopes: number;
  readonly stacks: number;
  readonly depth: number;
  readonly edges: number;
  readonly data_edges: number;
  readonly control_edges: number;
  readonly types: readonly TypeCount[];
  readonly devices: readonly { readonly device: string; readonly count: number; readonly time?: number | null }[];
  readonly stored: Stored;
  readonly largest_parameters: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: StoredRole;
    readonly dtype: string;
    readonly shape: readonly number[] | null;
    readonly values: number;
    readonly bytes: number;
  }[];
}
export interface RemovedAnswer {
  readonly total: number;
  readonly rules: readonly {
    readonly rule: string;
    readonly removed: number;
    readonly bypassed: number;
    readonly nodes: readonly {
      readonly id: string;
      readonly name: string;
      readonly type: string;
      readonly path: readonly string[];
    }[];
    readonly types: readonly TypeCount[];
  }[];
  readonly lifted_total: number;
  /** Operators that are shown one scope further up. */
  readonly lifted: readonly { readonly id: string; readonly from: string; readonly to: string }[];
}

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}
export interface PipelinePart {
  readonly name: string;
  readonly parameters: readonly NamedValue[];
}
export interface PipelineNode extends PipelinePart {
  readonly id: string;
  readonly type: string;
  readonly kind: 'source' | 'operation';
  readonly operations: readonly PipelinePart[];
  readonly sampler: PipelinePart | null;
}
export interface PipelineAnswer {
  readonly pipeline: {
    readonly nodes: readonly PipelineNode[];
    readonly edges: readonly { readonly from: string; readonly to: string }[];
  } | null;
  readonly notices: readonly Notice[];
}

export type DifferenceKind = 'added' | 'removed' | 'changed' | 'moved';
/** A node that differs between two graphs; an id is null in the graph that does not have it. */
export interface DifferenceEntry {
  readonly kind: DifferenceKind;
  readonly id: string | null;
  readonly other_id: string | null;
  readonly name: string;
  readonly type: string;
  readonly node: NodeKind;
  readonly changes: readonly {
    readonly what: string;
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
}
export interface Difference {
  readonly counts: Readonly<Record<DifferenceKind | 'same', number>>;
  readonly changes: Readonly<Record<string, number>>;
  readonly nodes: { readonly before: number; readonly after: number };
  readonly stored: { readonly before: Stored; readonly after: Stored };
  readonly attributes_compared: number;
  readonly total: number;
  readonly offset: number;
  readonly entries: readonly DifferenceEntry[];
}

/** A number, or the spelling of one that JSON does not have. */
export type Figure = number | string | null;
export interface TensorPair {
  readonly name: string;
  readonly type: string;
  readonly side: string;
  readonly slot: string;
  readonly call: number;
  readonly dtype: readonly [string, string];
  readonly shape: readonly [string, string];
  readonly values: Readonly<Record<string, readonly [Figure, Figure]>>;
  readonly counts: Readonly<Record<string, readonly [Figure, Figure]>>;
  readonly difference: Figure;
}
export interface PrecisionAnswer {
  readonly compared: number;
  readonly beyond: number;
  readonly before_only: number;
  readonly after_only: number;
  readonly first: TensorPair | null;
  readonly total: number;
  readonly tensors: readonly TensorPair[];
}
