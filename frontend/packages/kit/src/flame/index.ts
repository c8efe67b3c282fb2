/** Trees of calls as flame graphs; see README.md of the kit. */
export { FlameGraph, type FlameGraphProps } from './flame_graph';
export { type CallNodes } from './layout';
