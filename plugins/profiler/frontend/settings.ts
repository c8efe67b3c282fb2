import { codecs, type Page } from '@insight-host/kit';
import type { CallsOf } from './answers/profile';
import { stepsCodec, type Zoom, zoomOf, zoomText } from './address';
import { tableSettings } from './table/settings';
import { rangeCodec, spanCodec } from './timeline/span';

const SETTLE = 250; // ms without a move before the URL says it

export const GROUPINGS = ['type', 'name', 'shape', 'scope'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const OPERATOR_KEYS = ['name', 'type', 'scope', 'shapes'] as const;
/** What tells operators apart; what is left out tells nothing. */
export type OperatorKey = Readonly<Partial<Record<(typeof OPERATOR_KEYS)[number], string>>>;

export const STEP_STATISTICS = ['max', 'median'] as const;
export type StepStatistic = (typeof STEP_STATISTICS)[number];
export const RANK_SCALES = ['absolute', 'relative'] as const;
export type RankScale = (typeof RANK_SCALES)[number];
export const LINK_MEASURES = ['bandwidth', 'elapsed', 'bytes'] as const;
export type LinkMeasure = (typeof LINK_MEASURES)[number];

export const COMPARED = ['summary', 'operators', 'kernels'] as const;
export type Compared = (typeof COMPARED)[number];

/** By what the memory of a snapshot is told apart. */
export const HOLDERS = ['purpose', 'name', 'module'] as const;
export type Holder = (typeof HOLDERS)[number];
export const HELD_PER = ['event', 'time'] as const;
export type HeldPer = (typeof HELD_PER)[number];
export const CALL_ORDERS = ['down', 'up'] as const;
export type CallOrder = (typeof CALL_ORDERS)[number];

const momentCodec = {
  parse: (text: string | null): number | null => (/^\d{1,16}$/.test(text ?? '') ? Number(text) : null),
  format: (moment: number | null): string | null => (moment === null ? null : String(moment)),
};

export type ProfilerSettings = ReturnType<typeof profilerSettings>;

/** What the user has set in the views of the profiler. */
export function profilerSettings(page: Page) {
  return {
    tables: tableSettings(page),
    steps: page.setting('steps', stepsCodec),
    /** How long a step takes without the profiler, ns; 0: not measured. */
    measured: page.setting('measured', codecs.wholeNumber(0, 1e15, 0)),
    /** Ceilings that the user gave, by the name of the device: `memory:4.8,half:989` in TB/s and TFLOP/s. */
    ceilings: page.setting('ceilings', codecs.byTag<string>(codecs.decoded, codecs.encoded)),
    by: page.setting('by', codecs.choice<Grouping>(GROUPINGS, 'type')),
    side: page.setting('side', codecs.choice<'' | 'host' | 'device'>(['host', 'device'], '')),
    /** The category that was gone into. */
    type: page.setting('type', codecs.name),
    /**
     * The operator whose details are next to the table: its name, type, scope and shapes, as far as needed to identify
     * it.
     */
    opened: page.setting('operator', codecs.names),
    /** A slice of the timeline that another view leads to. */
    slice: page.setting('slice', codecs.name),
    /**
     * Of the timeline: what it shows (null: everything), the stretch that is summed up, groups and tracks that are
     * closed.
     */
    window: page.setting('window', spanCodec),
    range: page.setting('range', rangeCodec),
    closed: page.setting('closed', codecs.names),
    group: page.setting('group', codecs.choice<'name' | 'operator' | 'none'>(['name', 'operator', 'none'], 'name')),
    /** What of two profiles is compared. */
    compared: page.setting('compared', codecs.choice<Compared>(COMPARED, 'summary')),
    per: page.setting('per', codecs.choice<'total' | 'step' | 'call'>(['total', 'step', 'call'], 'total')),
    communicationTable: page.setting(
      'table',
      codecs.choice<'operators' | 'links'>(['operators', 'links'], 'operators'),
    ),
    stage: page.setting('stage', codecs.name),
    /** In which time of their steps ranks are compared. */
    rankTime: page.setting('rank-time', codecs.text),
    /** What the heat maps of ranks show. */
    mapMeasure: page.setting('map', codecs.text),
    mapScale: page.setting('map-scale', codecs.choice<RankScale>(RANK_SCALES, 'absolute')),
    /** Which span of all steps the heat map of every step shows, how it reduces them, and which steps; null: all. */
    stepSpan: page.setting('span', codecs.text),
    stepStatistic: page.setting('in-cell', codecs.choice<StepStatistic>(STEP_STATISTICS, 'max')),
    stepRange: page.setting('of-steps', stepsCodec),
    /** The figure of a view that a link leads to, until it is shown. */
    figure: page.setting('figure', codecs.name),
    linkMeasure: page.setting('link-map', codecs.choice<LinkMeasure>(LINK_MEASURES, 'bandwidth')),
    /** The operator of a parallel strategy that is open, and the scopes that are not as they were at first. */
    strategyOperator: page.setting('strategy', codecs.name),
    strategyScopes: page.setting('scopes', codecs.names),
    /** By which column tables that are sorted in the page are sorted, by name. */
    sorts: page.setting('sorts', codecs.byTag<string>(codecs.decoded, codecs.encoded)),
    zooms: page.setting('zoom', codecs.byTag<Zoom>(zoomOf, zoomText), SETTLE),
    heldBy: page.setting('held', codecs.choice<Holder>(HOLDERS, 'purpose')),
    heldPer: page.setting('held-per', codecs.choice<HeldPer>(HELD_PER, 'event')),
    /** The moment at which the memory of a snapshot is looked at, ns; null: its peak. */
    moment: page.setting<number | null>('at', momentCodec),
    /** Where a span begins that ends at that moment, ns: what was allocated in it and stayed; null: no span. */
    since: page.setting<number | null>('since', momentCodec),
    callsOf: page.setting('calls', codecs.choice<CallsOf>(['module', 'device', 'host', 'memory', 'samples'], 'device')),
    /** What was measured in calls: its name, or its unit where it has none. */
    callMeasure: page.setting('measure', codecs.name),
    callOrder: page.setting('order', codecs.choice<CallOrder>(CALL_ORDERS, 'down')),
    /** Whether the calls are compared with those of the base. */
    callsCompared: page.setting('calls-compared', codecs.flag(false)),
    pipelineOperator: page.setting('pipeline', codecs.name),
  };
}
