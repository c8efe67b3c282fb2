/** Chooses how runs look, and says what their colours mean. */
import { useEffect } from 'preact/hooks';
import { type Page, usePage } from '../state/page';
import { Coloring, type ColoringScope, type LegendValue } from './coloring';
import styles from './coloring.css?inline';
import { PALETTES, SCALES } from './palettes';
import { addStyles } from '../views/styles';
import { type WordKey, words } from './words';
import { IconButton } from '../views/icon_button';

const MOST = 40; // values in the legend

/** The choice and the legend, and what they are about. */
export interface ColoringView {
  readonly coloring: Coloring;
  readonly Bar: typeof ColorBar;
  /** The same for the runs of a card that is shown elsewhere; `end` ends it. */
  apart(scope: ColoringScope): Coloring;
  /** Lets the user pick the colour of a run, next to an element. */
  pick(run: string, beside: Element): void;
}

export function coloringView(page: Page): ColoringView {
  addStyles(styles);
  const coloring = new Coloring(page);
  return {
    coloring,
    Bar: ColorBar,
    apart: (scope) => new Coloring(scope),
    pick: (run, beside) => pickBeside(page, coloring, run, beside),
  };
}

/** The browser's own picker. */
function pickBeside(page: Page, coloring: Coloring, run: string, beside: Element): void {
  const field = document.createElement('input');
  const { left, bottom } = beside.getBoundingClientRect();
  field.type = 'color';
  field.className = 'ih-picker';
  field.dataset['control'] = 'run-color';
  field.setAttribute('aria-label', words(page, 'pick', { run }));
  field.value = page.runs.all.value.find(({ name }) => name === run)?.color ?? '';
  Object.assign(field.style, { left: `${left}px`, top: `${bottom}px` });
  field.addEventListener('input', () => coloring.pick(run, field.value));
  field.addEventListener('change', () => field.blur());
  field.addEventListener('blur', () => setTimeout(() => field.remove())); // not while it loses the focus
  document.body.append(field);
  field.focus();
  field.click();
}

/** Below the bar of the run list: the choices, while they are open, and the legend. */
export function ColorBar({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const isOpen = page.colorsOpen.value;
  useEffect(() => {
    if (isOpen) page.columns.value?.columns.need();
  }, [isOpen, page.columns.value]);
  if (!isOpen && !coloring.legend.value) return null;
  const picked = coloring.picked.value.size + coloring.pickedValues.value.size;
  return (
    <div class="ih-coloring">
      {isOpen && (
        <>
          <ColumnChoice
            name="color-by"
            label="color.by"
            value={coloring.by.value}
            own={[['', 'color.run']]}
            onPick={(keys) => coloring.colorBy(keys)}
          />
          <Palettes coloring={coloring} />
          <ColumnChoice
            name="dash-by"
            label="dash.by"
            value={coloring.dashBy.value}
            own={[
              ['', 'dash.none'],
              ['run', 'dash.run'],
            ]}
            onPick={(keys) => coloring.dashBy.set(keys)}
          />
          <p class="ih-muted">
            {picked === 0 ? (
              words(page, 'pick.hint')
            ) : (
              <button
                type="button"
                class="ih-link"
                data-action="forget-colors"
                onClick={() => {
                  coloring.picked.set(new Map());
                  coloring.pickedValues.set(new Map());
                }}
              >
                {words(page, 'pick.forget', { count: picked })}
              </button>
            )}
          </p>
        </>
      )}
      <Legend coloring={coloring} />
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: WordKey;
  readonly value: readonly string[];
  readonly own: readonly (readonly [string, WordKey])[];
  readonly onPick: (keys: readonly string[]) => void;
}

/** A choice among the columns of the run table; several are as they came by a link. */
function ColumnChoice({ name, label, value, own, onPick }: ChoiceProps) {
  const page = usePage();
  const columns = page.columns.value?.columns;
  const listed = (columns?.titled.value ?? []).filter(({ key }) => key !== 'run/note');
  const text = value.join(';');
  const titleOf = (key: string): string => listed.find((column) => column.key === key)?.title ?? key;
  const isKnown = [...own.map(([key]) => key), 'path', ...listed.map(({ key }) => key)].includes(text);
  return (
    <label>
      <span>{words(page, label)}</span>
      <select
        class="ih-select"
        data-control={name}
        value={text}
        onChange={({ currentTarget: { value: picked } }) => onPick(picked ? picked.split(';') : [])}
      >
        {own.map(([key, words_]) => (
          <option key={key} value={key}>
            {words(page, words_)}
          </option>
        ))}
        <option value="path">{words(page, 'path')}</option>
        {!isKnown && <option value={text}>{value.map(titleOf).join(', ')}</option>}
        {listed.map(({ key, title }) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Palettes({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const isScale = coloring.legend.value?.kind === 'scale';
  const setting = isScale ? coloring.scale : coloring.palette;
  return (
    <label>
      <span>{words(page, 'palette')}</span>
      <select
        class="ih-select"
        data-control="palette"
        value={setting.value}
        onChange={({ currentTarget: { value } }) => setting.set(value as never)}
      >
        {(isScale ? SCALES : PALETTES).map((name) => (
          <option key={name} value={name}>
            {words(page, `palette.${name}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Legend({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const { value: legend } = coloring.legend;
  if (!legend) return null;
  const [key = ''] = coloring.by.value;
  const title = coloring.by.value
    .map((one) => (one === 'path' ? words(page, 'path') : (page.columns.value?.columns.columnOf(one)?.title ?? one)))
    .join(' · ');
  return (
    <div
      class="ih-color-legend"
      role="group"
      aria-label={words(page, 'legend', { column: title })}
      data-testid="run-colors"
    >
      <strong title={key}>
        {title}
        {legend.kind === 'scale' && legend.isLog && <span class="ih-muted"> (log)</span>}
      </strong>
      {legend.kind === 'scale' ? (
        <span class="ih-ramp">
          <span>{legend.low}</span>
          <i style={{ background: `linear-gradient(90deg, ${legend.stops.join(', ')})` }} />
          <span>{legend.high}</span>
        </span>
      ) : (
        <ul>
          {legend.values.slice(0, MOST).map((value) => (
            <Value key={value.key} value={value} coloring={coloring} />
          ))}
          {legend.values.length > MOST && <li class="ih-muted">+{legend.values.length - MOST}</li>}
        </ul>
      )}
      <IconButton
        icon="close"
        small
        data-action="own-colors"
        label={words(page, 'legend.close')}
        onClick={() => coloring.colorBy([])}
      />
    </div>
  );
}

/** A value and its colour, which can be another; its runs stand out while it has the pointer or the focus. */
function Value({ value, coloring }: { readonly value: LegendValue; readonly coloring: Coloring }) {
  const page = usePage();
  const { key, title, color, runs } = value;
  const hover = (): void => page.hovered.set(runs);
  const leave = (): void => page.hovered.set([]);
  return (
    <li onPointerEnter={hover} onPointerLeave={leave} onFocusIn={hover} onFocusOut={leave}>
      <label>
        <input
          type="color"
          class="ih-picker"
          aria-label={words(page, 'pick', { run: title })}
          value={color}
          onInput={({ currentTarget }) => coloring.pick(key, currentTarget.value, 'values')}
        />
        <span title={title}>{title}</span>
        <span class="ih-muted">{runs.length.toLocaleString()}</span>
      </label>
    </li>
  );
}
