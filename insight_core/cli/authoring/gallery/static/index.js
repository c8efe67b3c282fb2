import{AttemptsChoice as e,Button as t,Card as n,CardAlone as r,CardGrid as i,CardHead as a,Choice as o,Cluster as s,Content as c,Dialog as l,Download as u,Empty as d,ErrorCell as f,Frame as p,FullScreen as m,FullScreenToggle as h,Icon as g,Menu as _,NumberBox as v,Page as y,PluginCardBody as b,PluginCards as x,Popover as ee,Range as te,Segments as ne,Seldom as re,Select as ie,TableButton as ae,TagFilter as oe,TagName as se,Toggle as S,Tooltip as ce,cardStyles as le,codecs as C,tab as ue,useChart as w}from"@insight-host/kit";import{LinkSteps as de,StepSlider as T,TimeChoice as fe,stepMessages as E,stepParts as D,stepStyles as pe,useSteps as me}from"@insight-host/kit/steps";import{HistogramCard as he,HistogramStatus as ge,HistogramTools as _e,decodeHistograms as ve,histogramMessages as O,histogramParts as ye,histogramStyles as be,mountHistogramChart as xe}from"@insight-host/kit/histograms";import{EditCell as Se,Table as Ce,TableDialog as we,TableFiles as Te,rowsOf as Ee,tableStyles as De,turned as Oe}from"@insight-host/kit/table";import{Fragment as k,jsx as A,jsxs as j}from"preact/jsx-runtime";import{CanvasPainter as ke,palette as Ae}from"@insight-host/kit/draw";import{html as je}from"@insight-host/kit/html";import{mountLineChart as Me}from"@insight-host/kit/lines";import{useEffect as Ne,useRef as M}from"preact/hooks";import{signal as N,useSignal as P}from"@preact/signals";var F=Object.defineProperty,I=(e,t)=>{let n={};for(var r in e)F(n,r,{get:e[r],enumerable:!0});return t||F(n,Symbol.toStringTag,{value:`Module`}),n},Pe=I({CardOutsideOfItsTab:()=>Be,CardsOfPlugins:()=>Ve,Failing:()=>qe,Filter:()=>Ue,Grid:()=>Re,Loading:()=>Ke,Names:()=>We,OneCard:()=>ze,OneOfThem:()=>He,Problem:()=>Ye,Slider:()=>Ge,WholeTab:()=>Ie,WithoutData:()=>Je}),L={tag:`layers/first`,run:`baseline`},R=[{id:`notes`,plugin:`notes`,title:`Notes`,mount:e=>(e.append(`Fills its place.`),()=>void 0)},{id:`late`,plugin:`notes`,title:`Late`,mount:(e,t)=>(t(Error(`the file is gone`)),()=>void 0)}],Fe={tag:`loss`,run:`broken`};function Ie({board:t}){let n=j(k,{children:[A(fe,{page:t.page,setting:t.time}),A(e,{page:t.page,setting:t.attempts}),A(de,{board:t})]});return A(p,{board:t,name:`example`,tools:n,card:e=>A(Le,{board:t,card:e})})}function Le({board:e,card:t}){let n=me(e,t);return j(k,{children:[A(a,{board:e,card:t}),A(`div`,{class:`view`,children:n.error?A(f,{page:e.page,card:t,reason:n.error}):`record ${n.index}`}),A(T,{board:e,card:t,steps:n}),j(`footer`,{children:[A(`span`,{class:`counts`,children:`6 of 8 steps`}),A(re,{children:`seen while the card is looked at`})]})]})}function Re({board:e}){return A(i,{board:e,look:`small`,card:({run:e})=>A(`p`,{children:e})})}function ze({board:e}){return A(n,{board:e,card:L,top:0,left:0,width:312,content:t=>A(a,{board:e,card:t,note:` (a note)`})})}function Be({board:e}){return A(r,{board:e,name:`example`,card:L,content:t=>A(a,{board:e,card:t})})}function Ve({page:e,grid:t}){return A(x,{page:e,cards:R,open:t})}function He({page:e}){return A(`section`,{class:`card`,children:A(b,{page:e,card:R[1]})})}function Ue({board:e}){return A(oe,{board:e})}function We(){return A(se,{title:`layers/first/weights`})}function Ge({board:e}){return A(T,{board:e,card:L,steps:me(e,L)})}function Ke({loading:e}){return A(c,{board:e,children:()=>A(`p`,{children:`cards`})})}function qe({failing:e}){return A(c,{board:e,children:()=>A(`p`,{children:`cards`})})}function Je({empty:e}){return A(c,{board:e,children:()=>A(`p`,{children:`cards`})})}function Ye({board:e}){return A(f,{page:e.page,card:Fe,step:30,reason:`the record is truncated`,onRetry:()=>void 0})}function z(e){return{name:e,displayName:e,note:``,remark:``,mark:0,archived:!1,color:`red`,dash:[],dialects:[],startTime:null,loading:!1,damage:0}}function B(e,t={}){return{metadata:t,names:Object.keys(e),column:t=>new Float64Array(e[t]??[])}}function Xe(){let e=new Map,t=N([]),n=0,r=(r,i,a)=>{if((e.get(r)?.version??null)!==i)throw Object.assign(Error(`${r} was changed`),{code:`saved_changed`,status:409,details:{name:r}});let o={name:r,version:String(++n)};return a===void 0?e.delete(r):e.set(r,{version:o.version,value:a}),t.value=[...e].map(([e,t])=>({name:e,version:t.version})),o};return{entries:t,writable:N(!0),list:async()=>t.value,get:async t=>{let n=e.get(t);return n?{name:t,version:n.version,value:JSON.parse(n.value)}:null},set:async(e,t,n)=>r(e,n,JSON.stringify(t??null)),remove:async(e,t)=>void r(e,t)}}function V(e){let t=new Map(Object.entries(e).map(([e,t])=>[e,new Map((Array.isArray(t)?t.map(e=>[e,{}]):Object.entries(t)).map(([e,t])=>[e,{attempts:1,claims:[],plugin:`sample`,...t}]))])),n=new Map([...t].map(([e,t])=>[e,[...t.keys()]]));return{runs:[...t.keys()],tagsOf:e=>n.get(e)??[],infoOf:(e,n)=>t.get(e)?.get(n),hasRestarts:e=>[...t.get(e)?.values()??[]].some(({attempts:e})=>e>1)}}function H(e){let t=N(0);return Object.assign(N(e?V(e):null),{failure:N(null),refreshed:t,refresh:()=>void t.value++})}function Ze(e,{series:t,json:n,columns:r,frames:i,post:a,ask:o}={}){let s=new AbortController,c=new Map,l=N(new Map),u=N({mode:`light`,token:()=>``}),d=N(e.map(z)),f=N(d.value),p=N(d.value),m=N([]),h=e=>{let t=N(e);return Object.assign(t,{set:e=>void(t.value=e)})},g=[],_=N(``),v=N([`scalar`,`image`,`sample`]),y=[],b=N(null),x=()=>new Promise(()=>void 0);return{name:`sample`,signal:s.signal,visible:N(!0),runs:{all:d,filter:h(``),shown:f,selected:p,select:e=>p.value=d.value.filter(t=>e.includes(t.name)),hovered:m,colorBy:h([]),groupBy:h([]),groups:N([]),drawing:N({places:new Map,orders:[]}),one:h(null),hover:e=>void(m.value=e),annotate:async(e,t)=>void(d.value=d.value.map(n=>n.name===e?{...n,...t,displayName:(t.displayName??n.displayName)||e}:n)),annotatable:N(!0)},tabs:v,open:(e,t={})=>{let n=v.value.includes(e);return n&&y.push({plugin:e,state:t}),n},opened:y,browseTags:()=>void 0,stepTabs:N(v.value.filter(e=>e===`image`).map(e=>({plugin:e,title:e}))),openStep:(e,t)=>(y.push({plugin:e,state:{step:String(t)}}),!0),cursor:Object.assign(b,{point:e=>void(b.value=e&&{...e,pinned:!1,from:`sample`}),pin:e=>void(b.value=e&&{...e,pinned:!0,from:`sample`})}),generation:N(0),changes:N({generation:0,series:null}),tags:Object.assign(H(t),{withUnclaimed:H()}),theme:u,locale:N(`en`),reason:({error:e})=>e,t:(e,t)=>t?`${e} ${JSON.stringify(t)}`:e,address:l,notices:g,badges:_,url:{state:(e,t)=>({get value(){return t.parse(l.value.get(e)??null)},subscribe(n){let r=null;return l.subscribe(i=>{let a=i.get(e);a!==r&&n(t.parse(a??null)),r=a})},set(n){let r=new Map(l.value),i=t.format(n);i===null?r.delete(e):r.set(e,i),l.value=r}})},memory:{get:(e,t)=>c.has(e)?c.get(e):t,set:(e,t)=>void c.set(e,t)},isSnapshot:!1,saved:Xe(),data:{json:async(e,t={},r)=>await(n??x)(e,t,r?.signal??s.signal),columns:(e,t={},n)=>(r??x)(e,t,n?.signal??s.signal),frames:async function*(e,t={},n){yield*i?i(e,t,n?.signal??s.signal):[await x()]},href:e=>e,post:async(e,t,n)=>await(a??x)(e,t,n?.query??{},n?.signal??s.signal)},ask:async(e,t,n={},r)=>await(o??x)(e,t,n,r?.signal??s.signal),ui:{icon:()=>document.createElementNS(`http://www.w3.org/2000/svg`,`svg`),download:()=>void 0},shortcut:()=>()=>void 0,notify:(e,t)=>void g.push(t),badge:e=>void(_.value=e),contributed:N({markers:()=>()=>void 0,cards:[],cardActions:[]}),showCard:()=>()=>void 0,end:()=>s.abort()}}var U=[0,10,20,30,40,50],W=17e8,Qe=[`#2f6fd0`,`#c2571a`,`#2a8a57`],G=Object.fromEntries([`layers/first`,`layers/second`,`loss`].map(e=>[e,{attempts:2}])),$e={baseline:G,wide:G,broken:{loss:{attempts:2}}};function et(){let e={points:8,kept:U.length,hidden:2};return B({steps:U,wall_times:U.map(e=>W+6*e),sizes:U.map(()=>64)},{records:JSON.stringify(e)})}var K=Array.from({length:13},(e,t)=>t/2-3),q=e=>K.slice(1).map(t=>Math.round(200*Math.exp(-((t-.25)**2)*(.3+e/50)))),tt=K,nt=U;function rt(){let e=e=>U.map(()=>e),t={points:6,kept:6,hidden:0,available:6,shown:6,origin:W,errors:[]};return B({edges:K,steps:U,wall_times:U.map(e=>W+6*e),indices:U.map((e,t)=>t),mins:e(-2.5),maxs:e(2.5),means:e(0),totals:U.map(e=>q(e).reduce((e,t)=>e+t,0)),nans:U.map((e,t)=>t===3?2:0),pos_infs:e(0),neg_infs:e(0),counts:U.flatMap(q),beyond:e(0),percentiles:U.flatMap(()=>[-2.5,-1.5,-1,-.5,0,.5,1,1.5,2.5])},{histograms:JSON.stringify(t)})}function it(e,t=`data`){let n=Ze([`baseline`,`wide`,`broken`],{columns:async(e,t)=>{if(t.run===`broken`)throw Error(`run "broken": record 3 is truncated`);return e===`records`?et():rt()}});t===`data`?n.tags.value=V($e):t===`empty`?n.tags.value=V({}):t===`failing`&&(n.tags.failure.value=`the data server is away`);let r=n.runs.all.value.map((e,t)=>({...z(e.name),color:Qe[t]}));for(let e of[n.runs.all,n.runs.shown,n.runs.selected])e.value=r;let{theme:i,locale:a,visible:o,t:s,ui:c,notify:l,shortcut:u,signal:d}=e;return{...n,theme:i,locale:a,visible:o,t:s,ui:c,notify:l,shortcut:u,signal:d}}var at=I({HistogramsOverSteps:()=>st,LinesOverSteps:()=>ot,Painting:()=>ct,WithoutABuild:()=>lt});function ot({page:e}){let t=M(null),n=Array.from({length:200},(e,t)=>t),r={lines:[`#2f6fd0`,`#c2571a`].map((e,t)=>({id:`run ${t}`,label:`run ${t}`,color:e,x:n,y:n.map(e=>Math.exp(-e/(30+40*t))+.05*Math.sin(e/3))})),xKind:`step`,xLabel:`step`,yLabel:`loss`,title:`loss`,description:`loss of two runs over steps`,theme:e.theme.value,locale:e.locale.value};return w(Me,r,t,M(null)),A(`div`,{ref:t,class:`plot`})}function st({page:e}){let t=M(null),n={view:`top`,edges:tt,rows:nt.map(e=>({id:`${e}`,label:`${e}`,at:e,counts:q(e),percentiles:[]})),rowKind:`step`,color:`#2f6fd0`,valueLabel:`value`,countLabel:`count`,rowLabel:`step`,title:`weights`,description:`histograms of weights over steps`,theme:e.theme.value,locale:e.locale.value};return w(xe,n,t,M(null)),A(`div`,{ref:t,class:`plot`})}function ct({page:e}){let t=M(null),n=e.theme.value;return Ne(()=>{if(!t.current)return;let e=ke.of(t.current,1),{text:r,axis:i}=Ae(n);e.begin(300,80),e.segment(10,60,290,60,{color:i,width:e.hairline}),e.circle(150,40,12,`#c2571a`),e.text(150,66,`painted`,{color:r,align:`center`,baseline:`top`})},[n]),A(`canvas`,{ref:t,width:300,height:80,"aria-label":`A painted circle`,role:`img`})}function lt(){return je`<p class="note">${`Markup`} in plain JavaScript</p>`}var ut=I({Buttons:()=>ft,ChoiceOfWords:()=>ht,Choices:()=>mt,Downloads:()=>vt,FillTheScreen:()=>bt,Icons:()=>yt,NothingToShow:()=>xt,Numbers:()=>_t,Ranges:()=>gt,Toggles:()=>pt}),J=N(`front`),Y=N(`step`),dt=[`export`,`copy`,`pin`,`play`,`pause`,`link`,`search`,`warn`,`info`];function ft({page:e}){let n=()=>e.ctx.notify(`info`,`pressed`);return j(k,{children:[A(t,{action:`save`,label:`Save the table`,text:`Save`,icon:`export`,onPress:n}),A(t,{action:`reset`,label:`Reset`,icon:`reset`,onPress:n}),A(t,{action:`held`,label:`Held`,text:`Held`,pressed:!0,onPress:n}),A(t,{action:`off`,label:`Not now`,text:`Disabled`,disabled:!0,onPress:n})]})}function pt({grid:e,values:t}){return j(s,{children:[A(S,{action:`grid`,label:`Show the grid`,text:`Grid`,setting:e}),A(S,{action:`values`,label:`Show values`,text:`Values`,setting:t}),A(S,{action:`never`,label:`Cannot be shown`,text:`Disabled`,setting:t,disabled:!0})]})}var X=[{value:`front`,text:`Front`},{value:`top`,text:`Top`,title:`Seen from above`}],Z=e=>void(J.value=e);function mt(){return j(k,{children:[A(ne,{name:`sides`,label:`Side`,value:J.value,options:X,onPick:Z}),A(ie,{name:`side`,label:`Side`,value:J.value,options:X,onPick:Z})]})}function ht({page:e}){return A(o,{say:e.t,name:`time`,label:e.t(`time.label`),words:`time.kind`,values:[`step`,`relative`,`wall`],setting:{value:Y.value,set:e=>void(Y.value=e)}})}function gt({amount:e}){return A(te,{name:`amount`,label:`Smoothing`,setting:e,low:0,high:1,step:.01})}function _t({amount:e}){return A(v,{name:`digits`,label:`Digits`,value:e.value,low:0,high:1,step:.1,onPick:t=>e.set(t)})}function vt(){return A(u,{label:`Download what the address answers`,href:`data:text/plain,saved`})}function yt(){return A(k,{children:dt.map(e=>A(`span`,{title:e,children:A(g,{name:e})},e))})}function bt({page:e,full:t}){return j(k,{children:[A(h,{page:e,setting:t}),A(m,{page:e,isFull:t.value,onPress:()=>t.set(!t.value)})]})}function xt(){return A(d,{title:`No numbers`,text:`Log a scalar to see it here.`,children:A(`button`,{type:`button`,children:`What to do`})})}var St=I({Cards:()=>wt,Status:()=>Tt,Tools:()=>Ct});function Ct({histograms:e}){return A(`div`,{class:`toolbar`,role:`toolbar`,"aria-label":`Histograms`,children:A(_e,{board:e})})}function wt({histograms:e}){return A(i,{board:e,look:`histograms`,card:(t,n)=>A(he,{board:e,card:t,place:n})})}function Tt({page:e}){let t=ve(B({},{histograms:`{"shown": 4, "available": 9, "points": 9, "kept": 9}`}));return j(k,{children:[A(ge,{page:e,found:t,failure:null,onRetry:()=>void 0}),A(ge,{page:e,found:null,failure:`the data server is away`,onRetry:()=>void 0})]})}var Et=I({Dialogs:()=>At,Menus:()=>Dt,Popovers:()=>Ot,Tooltips:()=>kt});function Dt({page:e}){return A(_,{action:`more`,icon:`export`,label:`Export`,items:()=>[{action:`copy`,text:`Copy`,onPress:()=>e.ctx.notify(`info`,`copied`)},{action:`csv`,text:`Save as CSV`,href:`data:text/csv,step`,download:`steps.csv`}]})}function Ot(){let e=P(!1),n=M(null);return j(k,{children:[A(t,{action:`marks`,label:`Choose a mark`,text:`Mark`,element:n,expanded:e.value,onPress:()=>e.value=!e.value}),e.value&&j(ee,{anchor:n,class:`menu`,role:`radiogroup`,label:`Mark`,side:`below-left`,onClose:()=>e.value=!1,children:[A(`button`,{type:`button`,role:`radio`,"aria-checked":!0,children:`Good`}),A(`button`,{type:`button`,role:`radio`,"aria-checked":!1,children:`Bad`})]})]})}function kt(){let e=P(null);return j(`span`,{onPointerMove:t=>e.value=[t.clientX,t.clientY],onPointerLeave:()=>e.value=null,children:[`Point here`,e.value&&A(ce,{x:e.value[0],y:e.value[1],children:`step 120 · 0.25`})]})}function At(){let e=P(!1);return j(k,{children:[A(t,{action:`dialog`,label:`Open a dialog`,text:`Open`,onPress:()=>e.value=!0}),e.value&&A(l,{name:`example`,title:`A dialog`,close:`Close`,onClose:()=>e.value=!1,children:A(`p`,{children:`The focus stays in it. Escape and a press outside close it.`})})]})}var jt=e=>e(),Mt=I({EditedCell:()=>Bt,Files:()=>Lt,InADialog:()=>zt,Lines:()=>It,ViewAsTable:()=>Rt}),Q=Array.from({length:500},(e,t)=>({run:`run_${t}`,loss:1/(t+1)})),Nt={key:`run`,title:`Run`,kind:`text`,width:120,cell:({run:e})=>({content:e})},Pt={key:`loss`,title:`Loss`,kind:`number`,width:120,grows:!0,cell:({loss:e})=>({content:e.toFixed(4),title:String(e)})},$={head:[`step`,`loss`],rows:Q.slice(0,30).map(({loss:e},t)=>[t,e])},Ft=N(`click to edit`);function It(){let e=P([]),t={by:e.value,turn:(t,n)=>void(e.value=Oe(e.value,t,n,!1))};return A(`div`,{style:{display:`flex`,height:`180px`},children:A(Ce,{name:`example-table`,label:`Runs`,rows:Ee(Q),frozen:[Nt],columns:[Pt],rowHeight:26,sort:t})})}function Lt({page:e}){return A(Te,{page:e,name:`losses`,table:()=>[$.head,...$.rows]})}function Rt({page:e}){return A(ae,{page:e,name:`losses`,title:`Loss of every step`,data:()=>$,load:()=>jt(()=>import(`@insight-host/kit/table`),[],import.meta.url)})}function zt({page:e}){let t=P(!1);return j(k,{children:[A(`button`,{type:`button`,onClick:()=>t.value=!0,children:`Open`}),t.value&&A(we,{page:e,name:`losses`,title:`Losses`,data:$,onClose:()=>t.value=!1})]})}function Bt(){let e=e=>void(Ft.value=e);return A(Se,{name:`remark`,label:`Remark`,kind:`line`,most:200,text:Ft.value,hint:`Click to edit`,onSave:e,onKeep:e})}var Vt=`import {
  AttemptsChoice,
  Card,
  CardAlone,
  CardGrid,
  CardHead,
  Content,
  ErrorCell,
  Frame,
  PluginCardBody,
  PluginCards,
  Seldom,
  TagFilter,
  TagName,
  type CardKey,
} from '@insight-host/kit';
import { LinkSteps, StepSlider, TimeChoice, useSteps, type StepParts } from '@insight-host/kit/steps';
import type { ShownCard } from '@insight-host/api';
import type { JSX } from 'preact';
import type { Given } from '../given';

const FIRST: CardKey = { tag: 'layers/first', run: 'baseline' };
/** As \`ctx.contributed\` has them. */
const ADDED: readonly ShownCard[] = [
  {
    id: 'notes',
    plugin: 'notes',
    title: 'Notes',
    mount: (host) => (host.append('Fills its place.'), () => undefined),
  },
  {
    id: 'late',
    plugin: 'notes',
    title: 'Late',
    mount: (_, failed) => (failed(new Error('the file is gone')), () => undefined),
  },
];
const BROKEN: CardKey = { tag: 'loss', run: 'broken' };

export function WholeTab({ board }: Given): JSX.Element {
  const tools = (
    <>
      <TimeChoice page={board.page} setting={board.time} />
      <AttemptsChoice page={board.page} setting={board.attempts} />
      <LinkSteps board={board} />
    </>
  );
  return <Frame board={board} name="example" tools={tools} card={(card) => <Body board={board} card={card} />} />;
}

function Body({ board, card }: { readonly board: StepParts; readonly card: CardKey }): JSX.Element {
  const steps = useSteps(board, card);
  return (
    <>
      <CardHead board={board} card={card} />
      <div class="view">
        {steps.error ? <ErrorCell page={board.page} card={card} reason={steps.error} /> : \`record \${steps.index}\`}
      </div>
      <StepSlider board={board} card={card} steps={steps} />
      <footer>
        <span class="counts">6 of 8 steps</span>
        <Seldom>seen while the card is looked at</Seldom>
      </footer>
    </>
  );
}

export function Grid({ board }: Given): JSX.Element {
  return <CardGrid board={board} look="small" card={({ run }) => <p>{run}</p>} />;
}

export function OneCard({ board }: Given): JSX.Element {
  const head = (card: CardKey): JSX.Element => <CardHead board={board} card={card} note=" (a note)" />;
  return <Card board={board} card={FIRST} top={0} left={0} width={312} content={head} />;
}

export function CardOutsideOfItsTab({ board }: Given): JSX.Element {
  const head = (card: CardKey): JSX.Element => <CardHead board={board} card={card} />;
  return <CardAlone board={board} name="example" card={FIRST} content={head} />;
}

export function CardsOfPlugins({ page, grid }: Given): JSX.Element {
  return <PluginCards page={page} cards={ADDED} open={grid} />;
}

export function OneOfThem({ page }: Given): JSX.Element {
  return (
    <section class="card">
      <PluginCardBody page={page} card={ADDED[1] as ShownCard} />
    </section>
  );
}

export function Filter({ board }: Given): JSX.Element {
  return <TagFilter board={board} />;
}

export function Names(): JSX.Element {
  return <TagName title="layers/first/weights" />;
}

export function Slider({ board }: Given): JSX.Element {
  return <StepSlider board={board} card={FIRST} steps={useSteps(board, FIRST)} />;
}

export function Loading({ loading }: Given): JSX.Element {
  return <Content board={loading}>{() => <p>cards</p>}</Content>;
}

export function Failing({ failing }: Given): JSX.Element {
  return <Content board={failing}>{() => <p>cards</p>}</Content>;
}

export function WithoutData({ empty }: Given): JSX.Element {
  return <Content board={empty}>{() => <p>cards</p>}</Content>;
}

export function Problem({ board }: Given): JSX.Element {
  return (
    <ErrorCell page={board.page} card={BROKEN} step={30} reason="the record is truncated" onRetry={() => undefined} />
  );
}
`,Ht=`import { useChart } from '@insight-host/kit';
import { CanvasPainter, palette } from '@insight-host/kit/draw';
import { html } from '@insight-host/kit/html';
import { mountHistogramChart, type HistogramChart, type HistogramChartProps } from '@insight-host/kit/histograms';
import { mountLineChart, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Given } from '../given';
import { bell, edges, steps } from '../samples';

export function LinesOverSteps({ page }: Given): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const x = Array.from({ length: 200 }, (_, step) => step);
  const props: LineChartProps = {
    lines: ['#2f6fd0', '#c2571a'].map((color, i) => ({
      id: \`run \${i}\`,
      label: \`run \${i}\`,
      color,
      x,
      y: x.map((step) => Math.exp(-step / (30 + 40 * i)) + 0.05 * Math.sin(step / 3)),
    })),
    xKind: 'step',
    xLabel: 'step',
    yLabel: 'loss',
    title: 'loss',
    description: 'loss of two runs over steps',
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart<LineChartProps, LineChart>(mountLineChart, props, host, useRef<LineChart | null>(null));
  return <div ref={host} class="plot" />;
}

export function HistogramsOverSteps({ page }: Given): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const texts = { valueLabel: 'value', countLabel: 'count', rowLabel: 'step', title: 'weights' };
  const rows = steps.map((step) => ({
    id: \`\${step}\`,
    label: \`\${step}\`,
    at: step,
    counts: bell(step),
    percentiles: [],
  }));
  const props: HistogramChartProps = {
    ...{ view: 'top', edges, rows, rowKind: 'step', color: '#2f6fd0' },
    ...texts,
    description: 'histograms of weights over steps',
    theme: page.theme.value,
    locale: page.locale.value,
  };
  useChart<HistogramChartProps, HistogramChart>(mountHistogramChart, props, host, useRef<HistogramChart | null>(null));
  return <div ref={host} class="plot" />;
}

export function Painting({ page }: Given): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = page.theme.value;
  useEffect(() => {
    if (!canvas.current) return;
    const painter = CanvasPainter.of(canvas.current, 1);
    const { text, axis } = palette(theme);
    painter.begin(300, 80);
    painter.segment(10, 60, 290, 60, { color: axis, width: painter.hairline });
    painter.circle(150, 40, 12, '#c2571a');
    painter.text(150, 66, 'painted', { color: text, align: 'center', baseline: 'top' });
  }, [theme]);
  return <canvas ref={canvas} width={300} height={80} aria-label="A painted circle" role="img" />;
}

export function WithoutABuild(): JSX.Element {
  return html\`<p class="note">\${'Markup'} in plain JavaScript</p>\` as JSX.Element;
}
`,Ut=`import {
  Button,
  Choice,
  Cluster,
  Download,
  Empty,
  FullScreen,
  FullScreenToggle,
  Icon,
  NumberBox,
  Range,
  Segments,
  Select,
  Toggle,
  type IconName,
} from '@insight-host/kit';
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Given } from '../given';

const view = signal<'front' | 'top'>('front');
const time = signal<'step' | 'relative' | 'wall'>('step');
const ICONS: readonly IconName[] = ['export', 'copy', 'pin', 'play', 'pause', 'link', 'search', 'warn', 'info'];

export function Buttons({ page }: Given): JSX.Element {
  const press = (): void => page.ctx.notify('info', 'pressed');
  return (
    <>
      <Button action="save" label="Save the table" text="Save" icon="export" onPress={press} />
      <Button action="reset" label="Reset" icon="reset" onPress={press} />
      <Button action="held" label="Held" text="Held" pressed onPress={press} />
      <Button action="off" label="Not now" text="Disabled" disabled onPress={press} />
    </>
  );
}

export function Toggles({ grid, values }: Given): JSX.Element {
  return (
    <Cluster>
      <Toggle action="grid" label="Show the grid" text="Grid" setting={grid} />
      <Toggle action="values" label="Show values" text="Values" setting={values} />
      <Toggle action="never" label="Cannot be shown" text="Disabled" setting={values} disabled />
    </Cluster>
  );
}

const SIDES = [
  { value: 'front', text: 'Front' },
  { value: 'top', text: 'Top', title: 'Seen from above' },
] as const;
const pick = (value: 'front' | 'top'): void => void (view.value = value);

export function Choices(): JSX.Element {
  return (
    <>
      <Segments name="sides" label="Side" value={view.value} options={SIDES} onPick={pick} />
      <Select name="side" label="Side" value={view.value} options={SIDES} onPick={pick} />
    </>
  );
}

/** Its words are in the catalogue. */
export function ChoiceOfWords({ page }: Given): JSX.Element {
  return (
    <Choice
      say={page.t}
      name="time"
      label={page.t('time.label')}
      words="time.kind"
      values={['step', 'relative', 'wall']}
      setting={{ value: time.value, set: (value) => void (time.value = value) }}
    />
  );
}

export function Ranges({ amount }: Given): JSX.Element {
  return <Range name="amount" label="Smoothing" setting={amount} low={0} high={1} step={0.01} />;
}

export function Numbers({ amount }: Given): JSX.Element {
  return (
    <NumberBox
      name="digits"
      label="Digits"
      value={amount.value}
      low={0}
      high={1}
      step={0.1}
      onPick={(value) => amount.set(value)}
    />
  );
}

export function Downloads(): JSX.Element {
  return <Download label="Download what the address answers" href="data:text/plain,saved" />;
}

export function Icons(): JSX.Element {
  return (
    <>
      {ICONS.map((name) => (
        <span key={name} title={name}>
          <Icon name={name} />
        </span>
      ))}
    </>
  );
}

export function FillTheScreen({ page, full }: Given): JSX.Element {
  return (
    <>
      <FullScreenToggle page={page} setting={full} />
      <FullScreen page={page} isFull={full.value} onPress={() => full.set(!full.value)} />
    </>
  );
}

export function NothingToShow(): JSX.Element {
  return (
    <Empty title="No numbers" text="Log a scalar to see it here.">
      <button type="button">What to do</button>
    </Empty>
  );
}
`,Wt=`import { CardGrid } from '@insight-host/kit';
import { decodeHistograms, HistogramCard, HistogramStatus, HistogramTools } from '@insight-host/kit/histograms';
import { fakeColumns } from '@insight-host/kit/testing';
import type { JSX } from 'preact';
import type { Given } from '../given';

export function Tools({ histograms }: Given): JSX.Element {
  return (
    <div class="toolbar" role="toolbar" aria-label="Histograms">
      <HistogramTools board={histograms} />
    </div>
  );
}

export function Cards({ histograms }: Given): JSX.Element {
  return (
    <CardGrid
      board={histograms}
      look="histograms"
      card={(card, place) => <HistogramCard board={histograms} card={card} place={place} />}
    />
  );
}

export function Status({ page }: Given): JSX.Element {
  const found = decodeHistograms(
    fakeColumns({}, { histograms: '{"shown": 4, "available": 9, "points": 9, "kept": 9}' }),
  );
  return (
    <>
      <HistogramStatus page={page} found={found} failure={null} onRetry={() => undefined} />
      <HistogramStatus page={page} found={null} failure="the data server is away" onRetry={() => undefined} />
    </>
  );
}
`,Gt=`import { Button, Dialog, Menu, Popover, Tooltip } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Given } from '../given';

export function Menus({ page }: Given): JSX.Element {
  const items = (): { action: string; text: string; onPress?: () => void; href?: string; download?: string }[] => [
    { action: 'copy', text: 'Copy', onPress: () => page.ctx.notify('info', 'copied') },
    { action: 'csv', text: 'Save as CSV', href: 'data:text/csv,step', download: 'steps.csv' },
  ];
  return <Menu action="more" icon="export" label="Export" items={items} />;
}

export function Popovers(): JSX.Element {
  const open = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Button
        action="marks"
        label="Choose a mark"
        text="Mark"
        element={button}
        expanded={open.value}
        onPress={() => (open.value = !open.value)}
      />
      {open.value && (
        <Popover
          anchor={button}
          class="menu"
          role="radiogroup"
          label="Mark"
          side="below-left"
          onClose={() => (open.value = false)}
        >
          <button type="button" role="radio" aria-checked>
            Good
          </button>
          <button type="button" role="radio" aria-checked={false}>
            Bad
          </button>
        </Popover>
      )}
    </>
  );
}

export function Tooltips(): JSX.Element {
  const at = useSignal<readonly [number, number] | null>(null);
  return (
    <span
      onPointerMove={(event) => (at.value = [event.clientX, event.clientY])}
      onPointerLeave={() => (at.value = null)}
    >
      Point here
      {at.value && (
        <Tooltip x={at.value[0]} y={at.value[1]}>
          step 120 · 0.25
        </Tooltip>
      )}
    </span>
  );
}

export function Dialogs(): JSX.Element {
  const open = useSignal(false);
  return (
    <>
      <Button action="dialog" label="Open a dialog" text="Open" onPress={() => (open.value = true)} />
      {open.value && (
        <Dialog name="example" title="A dialog" close="Close" onClose={() => (open.value = false)}>
          <p>The focus stays in it. Escape and a press outside close it.</p>
        </Dialog>
      )}
    </>
  );
}
`,Kt=`import { TableButton } from '@insight-host/kit';
import {
  EditCell,
  rowsOf,
  Table,
  TableDialog,
  TableFiles,
  turned,
  type Column,
  type Sort,
} from '@insight-host/kit/table';
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Given } from '../given';

interface Row {
  readonly run: string;
  readonly loss: number;
}
const ROWS: readonly Row[] = Array.from({ length: 500 }, (_, i) => ({ run: \`run_\${i}\`, loss: 1 / (i + 1) }));
const RUN: Column<Row> = { key: 'run', title: 'Run', kind: 'text', width: 120, cell: ({ run }) => ({ content: run }) };
const LOSS: Column<Row> = {
  key: 'loss',
  title: 'Loss',
  kind: 'number',
  width: 120,
  grows: true,
  cell: ({ loss }) => ({ content: loss.toFixed(4), title: String(loss) }),
};
const DATA = { head: ['step', 'loss'], rows: ROWS.slice(0, 30).map(({ loss }, step) => [step, loss]) };
const remark = signal('click to edit');

export function Lines(): JSX.Element {
  const by = useSignal<readonly Sort[]>([]);
  const sort = {
    by: by.value,
    turn: (key: string, more: boolean) => void (by.value = turned(by.value, key, more, false)),
  };
  return (
    <div style={{ display: 'flex', height: '180px' }}>
      <Table
        name="example-table"
        label="Runs"
        rows={rowsOf(ROWS)}
        frozen={[RUN]}
        columns={[LOSS]}
        rowHeight={26}
        sort={sort}
      />
    </div>
  );
}

export function Files({ page }: Given): JSX.Element {
  return <TableFiles page={page} name="losses" table={() => [DATA.head, ...DATA.rows]} />;
}

export function ViewAsTable({ page }: Given): JSX.Element {
  return (
    <TableButton
      page={page}
      name="losses"
      title="Loss of every step"
      data={() => DATA}
      load={() => import('@insight-host/kit/table')}
    />
  );
}

export function InADialog({ page }: Given): JSX.Element {
  const open = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => (open.value = true)}>
        Open
      </button>
      {open.value && (
        <TableDialog page={page} name="losses" title="Losses" data={DATA} onClose={() => (open.value = false)} />
      )}
    </>
  );
}

export function EditedCell(): JSX.Element {
  const save = (text: string): void => void (remark.value = text);
  return (
    <EditCell
      name="remark"
      label="Remark"
      kind="line"
      most={200}
      text={remark.value}
      hint="Click to edit"
      onSave={save}
      onKeep={save}
    />
  );
}
`;function qt(e,t){let n=RegExp(`^export function ${t}\\b[\\s\\S]*?^}$`,`m`).exec(e);if(!n)throw Error(`no source of ${t}`);let[r]=n,i=[...e.matchAll(/^function (\w+)\b[\s\S]*?^}$/gm)].filter(([,e])=>r.includes(`<${e} `)),a=[r.replace(/^export /,``),...i.map(([e])=>e)].join(`

`);return[Jt(e,a),a].filter(Boolean).join(`

`)}function Jt(e,t){let n=e=>RegExp(`\\b${e}\\b`).test(t);return[...e.matchAll(/^import \{([^}]*)\} from '([^.'][^']*)';$/gm)].map(([,e=``,t])=>{let r=e.split(`,`).map(e=>e.trim()).filter(e=>/^\w+$/.test(e)&&n(e));return r.length>0?`import { ${r.join(`, `)} } from '${t}';`:``}).filter(Boolean).join(`
`)}function Yt(e){return[...new Set([...e.matchAll(/(?<!\w)<([A-Z]\w*)/g)].map(e=>e[1]))]}var Xt=Object.assign({"./examples/boards.tsx":Pe,"./examples/charts.tsx":at,"./examples/controls.tsx":ut,"./examples/histograms.tsx":St,"./examples/layers.tsx":Et,"./examples/tables.tsx":Mt}),Zt=Object.assign({"./examples/boards.tsx":Vt,"./examples/charts.tsx":Ht,"./examples/controls.tsx":Ut,"./examples/histograms.tsx":Wt,"./examples/layers.tsx":Gt,"./examples/tables.tsx":Kt}),Qt=[`controls`,`layers`,`boards`,`tables`,`charts`,`histograms`].map(e=>{let t=`./examples/${e}.tsx`;return{name:e,examples:Xt[t],source:Zt[t]}});function $t(e){let t=e.page.t;return A(`div`,{class:`kit gallery`,children:Qt.map(({name:n,examples:r,source:i})=>j(`section`,{"aria-label":t(`gallery.${n}`),children:[A(`h2`,{children:t(`gallery.${n}`)}),Object.entries(r).map(([n,r])=>{let a=qt(i,n);return j(`article`,{"data-example":n,"data-shows":Yt(a).join(` `),children:[A(`h3`,{children:Yt(a).join(`, `)||n}),A(`div`,{class:`stage ${n}`,children:A(r,{...e})}),A(`pre`,{tabIndex:0,"aria-label":t(`gallery.code`,{name:n}),children:a})]},n)})]},n))})}var en=`.gallery h2{margin:20px 0 8px;font-size:16px}.gallery article{grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:4px 16px;margin:0 0 16px;display:grid}.gallery article>h3{grid-column:1/-1;margin:0;font-size:13px;font-weight:600}.gallery .stage{border:1px solid var(--border);border-radius:8px;min-height:40px;padding:12px;position:relative}.gallery .stage:is(.WholeTab,.Grid,.Cards){height:420px;overflow:auto}.gallery .stage:is(.OneCard,.CardOutsideOfItsTab){height:260px}.gallery .stage .plot{height:240px}.gallery pre{background:var(--surface);max-height:420px;font:12px/1.5 var(--mono);border-radius:8px;margin:0;padding:12px;overflow:auto}.gallery .Icons span{margin-right:10px;display:inline-block}.gallery .small{--card-width:160px;--card-height:60px}`,tn={"empty.nothing":`The selected runs have no data for this tab`,"empty.nothing.text":`A tab says here how such data are written.`,failure:`The list of series could not be read`,"gallery.boards":`Boards and cards`,"gallery.charts":`Charts and painting`,"gallery.code":`Code of {name}`,"gallery.controls":`Controls`,"gallery.histograms":`Histograms`,"gallery.layers":`Menus, dialogs and tooltips`,"gallery.tables":`Tables`,toolbar:`Example`},nn={"empty.nothing":`选中的训练没有此标签页的数据`,"empty.nothing.text":`标签页在此说明如何写入这类数据。`,failure:`无法读取序列列表`,"gallery.boards":`看板与卡片`,"gallery.charts":`图表与绘制`,"gallery.code":`{name} 的代码`,"gallery.controls":`控件`,"gallery.histograms":`直方图`,"gallery.layers":`菜单、对话框与提示`,"gallery.tables":`表格`,toolbar:`示例`},rn=ue({messages:{en:{...E.en,...O.en,...tn},"zh-CN":{...E[`zh-CN`],...O[`zh-CN`],...nn}},styles:le+pe+be+De+en,board:e=>{let t=t=>{let n=new y(it(e.ctx,t));return e.until(()=>n.dispose()),n},n={board:D(t()),histograms:ye(t()),loading:D(t(`loading`)),failing:D(t(`failing`)),empty:D(t(`empty`))};return{page:e,grid:e.setting(`grid`,C.flag(!0)),values:e.setting(`values`,C.flag(!1)),full:e.setting(`full`,C.flag(!1)),amount:e.setting(`amount`,C.number(0,1,.6)),...n}},view:e=>A($t,{...e}),keys:()=>[]});export{rn as default};