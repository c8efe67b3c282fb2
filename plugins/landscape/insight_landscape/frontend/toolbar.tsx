import { Button, Cluster, FullScreenToggle, Range, Segments, Toggle } from '@insight-host/kit';
import type { JSX } from 'preact';
import { FORMS, LAYOUTS, LEVELS, MODES, WIDTHS, type LandscapeParts } from './board';
import { FIRST_CAMERA } from './camera';
import { RAMP_NAMES, type RampName } from './ramps';
import { intervalText } from './texts';

export function Toolbar({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  const options = <T extends string>(
    values: readonly T[],
    key: string,
  ): readonly { readonly value: T; readonly text: string; readonly title: string }[] =>
    values.map((value) => ({ value, text: say(`${key}.${value}`), title: say(`${key}.${value}.hint`) }));
  const isAnalysis = board.mode.value === 'analysis';
  return (
    <div class="toolbar" role="toolbar" aria-label={say('toolbar')}>
      <Segments
        name="mode"
        label={say('mode')}
        value={board.mode.value}
        options={options(MODES, 'mode')}
        onPick={(value) => board.mode.set(value, 'push')}
      />
      <Segments
        name="form"
        label={say('form')}
        value={board.form.value}
        options={options(FORMS, 'form')}
        onPick={(value) => board.form.set(value)}
      />
      {isAnalysis ? (
        <Choice board={board} />
      ) : (
        <Segments
          name="layout"
          label={say('layout')}
          value={board.layout.value}
          options={options(LAYOUTS, 'layout')}
          onPick={(value) => board.layout.set(value)}
        />
      )}
      {!isAnalysis && board.layout.value === 'tiled' && (
        <Toggle action="axes" text={say('axes')} label={say('axes.hint')} setting={board.sameAxes} />
      )}
      <label class="range" title={say('colors')}>
        <select
          data-control="colors"
          aria-label={say('colors')}
          value={board.ramp.value}
          onChange={(event) => board.ramp.set(event.currentTarget.value as RampName)}
        >
          {RAMP_NAMES.map((name) => (
            <option key={name} value={name}>
              {say(`colors.${name}`)}
            </option>
          ))}
        </select>
      </label>
      <Range
        name="lines"
        label={say('lines')}
        hint={say('lines.hint')}
        setting={board.levels}
        low={LEVELS[0]}
        high={LEVELS[1]}
        step={5}
        numberStep={1}
        settle={120}
        digits={0}
      />
      <Toggle action="log" text={say('log')} label={say('log.hint')} setting={board.log} />
      {board.form.value === 'surface' && (
        <Range
          name="opacity"
          label={say('opacity')}
          setting={board.opacity}
          low={0.2}
          high={1}
          step={0.05}
          digits={2}
        />
      )}
      {board.form.value === 'surface' && (
        <Button action="camera" icon="camera" label={say('camera')} onPress={() => board.orbit.look(FIRST_CAMERA)} />
      )}
      {isAnalysis && (
        <label class="range" title={say('path.hint')}>
          <span>{say('path')}</span>
          <input
            type="color"
            data-control="path-color"
            aria-label={say('path.color')}
            value={board.pathColor.value}
            onInput={(event) => board.pathColor.set(event.currentTarget.value)}
          />
          <input
            type="number"
            min={WIDTHS[0]}
            max={WIDTHS[1]}
            step={1}
            data-control="path-width"
            aria-label={say('path.width')}
            value={board.pathWidth.value}
            onChange={(event) =>
              board.pathWidth.set(
                Math.max(WIDTHS[0], Math.min(WIDTHS[1], Math.round(Number(event.currentTarget.value)) || WIDTHS[0])),
              )
            }
          />
        </label>
      )}
      <Cluster>
        <Toggle action="facts" icon="info" label={say('facts.hint')} setting={board.facts} />
        <FullScreenToggle page={board.page} setting={board.screen} />
      </Cluster>
    </div>
  );
}

/** Which landscape of which run. */
function Choice({ board }: { readonly board: LandscapeParts }): JSX.Element {
  const { t: say } = board.page;
  return (
    <>
      {board.runs.value.length > 1 && (
        <select
          class="run-choice"
          data-control="run"
          aria-label={say('run')}
          title={say('run')}
          value={board.chosen.run.value?.name ?? ''}
          onChange={(event) => board.chosen.pickRun(event.currentTarget.value)}
        >
          {board.runs.value.map(({ name, displayName }) => (
            <option key={name} value={name} title={name}>
              {displayName}
            </option>
          ))}
        </select>
      )}
      <select
        data-control="interval"
        aria-label={say('interval')}
        title={say('interval')}
        value={board.chosen.entry.value?.id ?? ''}
        onChange={(event) => board.chosen.pickEntry(event.currentTarget.value)}
      >
        {board.chosen.entries.value.map((entry) => (
          <option key={entry.id} value={entry.id}>
            {intervalText(board, entry)}
          </option>
        ))}
      </select>
    </>
  );
}
