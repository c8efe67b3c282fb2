/** Makes a figure for a paper of a chart, with a preview. */
import { Dialog, fileName, message, Select, type Page } from '@insight-host/kit';
import { LEGEND_PLACES } from '@insight-host/kit/draw';
import { unnamedLines, type LineChartProps } from '@insight-host/kit/lines';
import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { leftOut, paintFigure, pdfFigure, pngFigure, seenCsv, svgFigure } from './files';
import { latexOf } from './latex';
import {
  converted,
  FAMILIES,
  PALETTES,
  rangeOf,
  restyled,
  sizeOf,
  styleOf,
  type FigureStyle,
  type FigureTexts,
  type Unit,
} from './style';

export interface FigureDialogProps {
  readonly page: Page;
  /** What is drawn, exactly. */
  readonly chart: LineChartProps;
  readonly onClose: () => void;
}

const MEMORY = 'figure';
const PREVIEW = [420, 360] as const; // pixels at most
const NUMBERS = ['width', 'height', 'fontSize', 'lineWidth'] as const;
const FORMATS = ['svg', 'pdf', 'png', 'tex', 'csv'] as const;

export function FigureDialog({ page, chart, onClose }: FigureDialogProps): JSX.Element {
  const { t: say } = page;
  const style = useSignal<FigureStyle>({
    ...styleOf(page.ctx.memory.get<Partial<FigureStyle>>(MEMORY, {})),
    ...(chart.scale ? { palette: 'screen' } : {}), // other colours say nothing of the numbers
  });
  const texts = useSignal<FigureTexts>({
    title: '',
    x: chart.xLabel,
    y: chart.yLabel,
    yRight: chart.yRightLabel ?? '',
  });
  const raised = useSignal(0); // how often: the fields then show another height
  const set = (change: Partial<FigureStyle>): void => {
    style.value = { ...style.value, ...change };
    page.ctx.memory.set(MEMORY, style.value);
  };
  const setUnit = (unit: Unit): void => {
    const { width, height, unit: old } = style.value;
    if (unit !== old) set({ unit, width: converted(width, old, unit), height: converted(height, old, unit) });
  };
  const props = restyled(chart, style.value, texts.value);
  const unnamed = useComputed(() => unnamedLines(restyled(chart, style.value, texts.value), sizeOf(style.value, 1)));
  const save = async (format: (typeof FORMATS)[number]): Promise<void> => {
    try {
      const content = await fileOf(format, props, style.value, say);
      page.ctx.ui.download(fileName(chart.title, format, 'figure'), content);
    } catch (error) {
      page.ctx.notify('error', message(error));
    }
  };
  const choice = <K extends 'family' | 'legend' | 'palette'>(
    field: K,
    values: readonly FigureStyle[K][],
  ): JSX.Element => (
    <label>
      <span class="axis">{say(`figure.${field}`)}</span>
      <Select
        name={`figure-${field}`}
        label={say(`figure.${field}`)}
        value={style.value[field] as string}
        options={values.map((value) => ({ value: value as string, text: say(`figure.${field}.${value}`) }))}
        onPick={(value) => set({ [field]: value })}
      />
    </label>
  );
  return (
    <Dialog
      name="figure"
      title={say('figure.of', { tag: chart.title })}
      onClose={onClose}
      foot={FORMATS.map((format) => (
        <button key={format} type="button" data-action={`figure-${format}`} onClick={() => void save(format)}>
          {say(`figure.${format}`)}
        </button>
      ))}
    >
      <div class="figure">
        <div class="fields">
          {(['title', 'x', 'y', ...(chart.yRightLabel === undefined ? [] : ['yRight' as const])] as const).map(
            (field) => (
              <label key={field}>
                <span class="axis">{say(`figure.text.${field}`)}</span>
                <input
                  name={`figure-${field}`}
                  autocomplete="off"
                  value={texts.value[field]}
                  onInput={(e) => (texts.value = { ...texts.value, [field]: e.currentTarget.value })}
                />
              </label>
            ),
          )}
          {NUMBERS.map((field) => (
            <NumberField
              key={`${field} ${style.value.unit} ${raised.value}`}
              page={page}
              field={field}
              style={style.value}
              onSet={set}
            />
          ))}
          <label>
            <span class="axis">{say('figure.unit')}</span>
            <Select
              name="figure-unit"
              label={say('figure.unit')}
              value={style.value.unit}
              options={(['cm', 'in'] as const).map((value) => ({ value, text: say(`figure.unit.${value}`) }))}
              onPick={setUnit}
            />
          </label>
          {choice('family', FAMILIES)}
          {choice('legend', LEGEND_PLACES)}
          {choice('palette', PALETTES)}
        </div>
        <Preview chart={props} style={style.value} label={say('figure.preview')} />
      </div>
      {unnamed.value > 0 && (
        <p class="hint" role="status" data-testid="unnamed-lines">
          {say('figure.unnamed', { count: unnamed.value })}{' '}
          <button
            type="button"
            class="ih-link"
            data-action="figure-name-all"
            onClick={() => {
              set({ height: heightForAll(props, style.value) });
              raised.value += 1;
            }}
          >
            {say('figure.name_all')}
          </button>
        </p>
      )}
    </Dialog>
  );
}

/** The height from which on the legend names all lines, or the largest that there is. */
function heightForAll(props: LineChartProps, style: FigureStyle): number {
  const [, most] = rangeOf('height', style.unit);
  let { height } = style;
  while (height < most && unnamedLines(props, sizeOf({ ...style, height }, 1)) > 0)
    height = Math.min(most, Math.ceil(height * 11) / 10);
  return height;
}

interface NumberFieldProps {
  readonly page: Page;
  readonly field: (typeof NUMBERS)[number];
  readonly style: FigureStyle;
  readonly onSet: (change: Partial<FigureStyle>) => void;
}

/** A number that counts once it is in its range; what is typed stays as it is. */
function NumberField({ page, field, style, onSet }: NumberFieldProps): JSX.Element {
  const [least, most] = rangeOf(field, style.unit);
  const isLength = field === 'width' || field === 'height';
  const unit = isLength ? page.t(`figure.unit.${style.unit}`) : page.t('figure.points');
  return (
    <label>
      <span class="axis">{page.t(`figure.${field}`)}</span>
      <input
        type="number"
        name={`figure-${field}`}
        min={least}
        max={most}
        step="any"
        defaultValue={String(style[field])}
        title={page.t('figure.range', { least, most })}
        onInput={({ currentTarget: input }) => {
          const { valueAsNumber: value, validity } = input;
          input.setAttribute('aria-invalid', String(!validity.valid || Number.isNaN(value)));
          if (validity.valid && !Number.isNaN(value)) onSet({ [field]: value });
        }}
      />
      <span class="unit">{unit}</span>
    </label>
  );
}

function Preview({
  chart,
  style,
  label,
}: {
  readonly chart: LineChartProps;
  readonly style: FigureStyle;
  readonly label: string;
}): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = sizeOf(style, 1);
  const shown = Math.min(PREVIEW[0] / width, PREVIEW[1] / height); // pixels of the page for one of the chart
  useEffect(() => {
    if (canvas.current) paintFigure(canvas.current, chart, style, shown * devicePixelRatio);
  });
  return (
    <div class="preview">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${label}: ${chart.description}`}
        style={{ width: `${Math.round(width * shown)}px`, height: `${Math.round(height * shown)}px` }}
      />
    </div>
  );
}

function fileOf(
  format: (typeof FORMATS)[number],
  props: LineChartProps,
  style: FigureStyle,
  say: Page['t'],
): Blob | Promise<Blob> {
  if (format === 'svg') return svgFigure(props, style);
  if (format === 'pdf') return pdfFigure(props, style);
  if (format === 'png') return pngFigure(props, style);
  if (format === 'tex') {
    const count = leftOut(props);
    const note =
      count > 0
        ? say(props.lines.some(({ decimated }) => decimated) ? 'figure.left_out_least' : 'figure.left_out', { count })
        : null;
    return new Blob([latexOf(props, style, note)], { type: 'application/x-tex' });
  }
  return new Blob([seenCsv(props, say)], { type: 'text/csv' });
}
