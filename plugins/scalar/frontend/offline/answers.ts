/** Writes series as the host answers them: for drawing, as JSON and as CSV (docs/http_api.md). */
import { exactAt } from '@insight-host/kit';
import { wholeOf } from '@insight-host/kit/lab';
import { summary, type Series } from '../feed/series';

/** A safetensors file for drawing, with exact values; wall times are always there. */
export function frameOf(found: readonly Series[], metadata: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const isWhole = found.some(({ steps }) => wholeOf(steps));
  const columns = {
    steps: found.map(({ steps }) => (isWhole ? (wholeOf(steps) ?? BigInt64Array.from(steps, BigInt)) : steps)),
    doubles: found.map(({ values }) => Float64Array.from(values)),
    wall_times: found.map(({ wallTimes }) => wallTimes),
    ...(found.some(({ xs }) => xs) ? { xs: found.map(({ xs }) => xs ?? new Float64Array(0)) } : {}),
  };
  const described = found.map((one, place) => ({
    ...describedOf(one),
    steps: place,
    values: 'doubles',
    ...(one.xs ? { along: true } : {}),
  }));
  const steps = found.map(({ steps: { length } }) => (length > 0 ? { count: length, column: 'steps' } : { count: 0 }));
  const header: Record<string, unknown> = {
    __metadata__: {
      ...metadata,
      codes: JSON.stringify({ top: 4095, log: false, times: true }),
      steps: JSON.stringify(steps),
      series: JSON.stringify(described),
    },
  };
  let size = 0;
  for (const [name, parts] of Object.entries(columns)) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    header[name] = {
      dtype: parts[0] instanceof BigInt64Array ? 'I64' : 'F64',
      shape: [length],
      data_offsets: [size, (size += 8 * length)],
    };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + 8 * Math.ceil(bytes.length / 8);
  const out = new Uint8Array(start + size).fill(32, 8, start);
  out.set(bytes, 8);
  new DataView(out.buffer).setBigUint64(0, BigInt(start - 8), true);
  let at = start;
  for (const part of Object.values(columns).flat()) {
    if (part instanceof BigInt64Array) new BigInt64Array(out.buffer, at, part.length).set(part);
    else new Float64Array(out.buffer, at, part.length).set(part);
    at += part.byteLength;
  }
  return out;
}

function describedOf(series: Series) {
  const { run, tag, origin, extent, points, total, kept, hidden, purged, restarts, breaks } = series;
  const { nan, inf, neg_inf: negative } = series.nonfinite;
  return {
    ...{ run, tag, origin, extent, points, total, kept, hidden, restarts, breaks },
    ...(purged ? { purged } : {}),
    nonfinite: [nan, inf, negative],
  };
}

const text = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** `of`: `last`, `min` or `max`; of series with every point. */
export function summariesOf(found: readonly Series[], of: string): Response {
  const which = of === 'min' || of === 'max' ? of : 'last';
  const summaries = [...new Set(found.map(({ tag }) => tag))].map((tag) => {
    const own = found.filter((one) => one.tag === tag);
    return { tag, runs: own.map(({ run }) => run), values: own.map((one) => text(summary(one)[which])) };
  });
  return Response.json({ summaries });
}

export function jsonOf(found: readonly Series[]): Response {
  const series = found.map((one) => ({
    ...describedOf(one),
    nonfinite: one.nonfinite,
    decimated: one.decimated,
    steps: [...one.steps],
    wall_times: Array.from(one.wallTimes, text),
    values: Array.from(one.values, text),
    ...(one.xs ? { xs: Array.from(one.xs) } : {}),
  }));
  return Response.json({ series });
}

/** `x` is that of the query; along a metric its values are a column. */
export function csvOf(found: readonly Series[], x: string | null): Response {
  const lines = found.flatMap(({ run, tag, steps, wallTimes, values, xs }) =>
    Array.from(values, (value, i) =>
      [field(run), field(tag), exactAt(steps, i), wallTimes[i], value, ...(xs ? [xs[i]] : [])].join(),
    ),
  );
  const head = `run,tag,step,wall_time,value${x?.startsWith('=') ? `,${field(x.slice(1))}` : ''}`;
  const content = [head, ...lines, ''].join('\r\n');
  return new Response(content, { headers: { 'Content-Type': 'text/csv; charset=utf-8' } });
}

/** Quoted where it has to be; what a spreadsheet would read as a formula begins with an apostrophe. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
