/** Chooses how runs look, and says what their colours mean. */
import { type Page, usePage } from '../state/page';
import type { Coloring, LegendValue } from './coloring';
import { PALETTES, SCALES } from './grouping';
import { IconButton } from '../views/parts';
import { lateTexts } from '../i18n/texts';
import { coloring as en } from '../locales/en.json';
import { coloring as zh } from '../locales/zh-CN.json';

export const words = lateTexts({ en, 'zh-CN': zh });

const MOST = 40; // values in the legend

/** The browser's own picker. */
export function pickBeside(page: Page, coloring: Coloring, run: string, anchor: Element): void {
  const field = document.createElement('input');
  const { left, bottom } = anchor.getBoundingClientRect();
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

/** Below the choice of a column: palette, dashes, and colours that the user has picked. */
export function ColorOptions({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const picked = coloring.picked.value.size + coloring.pickedValues.value.size;
  return (
    <fieldset class="ih-color-options">
      <Palettes coloring={coloring} />
      <Dashes coloring={coloring} />
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
    </fieldset>
  );
}

/** A choice among the columns of the run table; several are as they came by a link. */
function Dashes({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const listed = page.columns.value?.columns.titled.value ?? [];
  const text = coloring.dashBy.value.join(';');
  const own = ['', 'run', 'path'];
  const isKnown = own.includes(text) || listed.some(({ key }) => key === text);
  return (
    <label>
      <span>{words(page, 'dash.by')}</span>
      <select
        class="ih-select"
        data-control="dash-by"
        value={text}
        onChange={({ currentTarget: { value } }) => coloring.dashBy.set(value ? value.split(';') : [])}
      >
        <option value="">{words(page, 'dash.none')}</option>
        <option value="run">{words(page, 'dash.run')}</option>
        <option value="path">{words(page, 'path')}</option>
        {!isKnown && <option value={text}>{text}</option>}
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

/** What the colours say, where the runs are coloured by something; the rows of groups say it themselves. */
export function Legend({ coloring }: { readonly coloring: Coloring }) {
  const page = usePage();
  const { value: legend } = coloring.legend;
  if (!legend || coloring.by.value.length === 0) return null;
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
