/** The choice between operators of the host and of the device. */
import { Choice } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';

/** Host or device, where operators ran on both. */
export function Sides({ board }: { readonly board: ProfilerParts }): JSX.Element | null {
  const { t: say } = board.page;
  // of which both sides are known, before the first answer says so
  const isGpu = board.profiles.profile.value?.platform === 'gpu';
  const sides =
    board.profiles.sides.value.length > 0 ? board.profiles.sides.value : isGpu ? (['host', 'device'] as const) : [];
  if (sides.length < 2) return null;
  return (
    <Choice
      say={say}
      name="side"
      label={say('operators.side')}
      values={sides}
      setting={{ value: board.side.value || 'device', set: board.side.set }}
      how="push"
    />
  );
}
