declare module 'plotly.js-strict-dist-min/plotly-strict.min.js?url' {
  const address: string;
  export default address;
}
