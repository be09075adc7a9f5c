import{At as e,Dt as t,Wt as n}from"./index-BtHFVidC.js";import{n as r}from"./useNavigate-Dxn4_D7M.js";import{a as i,n as a,t as o}from"./jsx-runtime-Wy9s6hX0.js";import{g as s,l as c,p as l,r as u,t as d}from"./failure-BTThyXO0.js";import{r as f}from"./page-DyOSacWo.js";var p=i(a(),1),m={name:`user-message`,content:`{{USER_MESSAGE}}
`},h=[{title:`Chat`,text:`Answers messages, with a system prompt.`,format:`interactive`,protocol:`triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: The message of the user }

agent:
  model: MODEL
  system: system

handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`,prompts:[{name:`system`,content:`You are a helpful assistant. Be brief.
`},m]},{title:`Chat with a tool`,text:`Calls a tool of yours, and asks before it changes something.`,format:`interactive`,protocol:`triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string, description: The message of the user }

tools:
  get-order:
    description: Looks up an order by its number.
    parameters:
      orderNumber: { type: string, description: "The order number, such as 1042" }
  refund:
    description: Refunds an order.
    parameters:
      orderNumber: { type: string, description: "The order number, such as 1042" }
    approval: { ask: true, title: "Refund {{orderNumber}}" }

agent:
  model: MODEL
  system: system
  tools: [get-order, refund]
  agentic: true

handlers:
  user-message:
    Add the message: { block: add-message, role: user, prompt: user-message, input: [USER_MESSAGE] }
    Answer: { block: next-message }
`,prompts:[{name:`system`,content:"You answer customers of a shop. Look an order up with `get-order` before you say anything about it.\n"},m]},{title:`Worker`,text:`Runs one task and returns a value.`,format:`worker`,protocol:`input:
  TEXT: { type: string, description: The text to summarize }

variables:
  SUMMARY: { type: string }

steps:
  Open the thread: { block: start-thread, thread: main, model: MODEL }
  Ask: { block: add-message, role: user, prompt: task, input: [TEXT] }
  Summarize: { block: next-message, output: SUMMARY }

output: SUMMARY
`,prompts:[{name:`task`,content:`Summarize in one sentence:

{{TEXT}}
`}]},{title:`Empty`,text:`The smallest possible agent.`,format:`interactive`,protocol:`agent:
  model: MODEL

triggers:
  start:

handlers:
  start:
    Answer: { block: next-message }
`,prompts:[]}],g=o(),_=`demo/echo`;function v(){let i=r(),a=e().permissions.includes(`agents`),[o,s]=(0,p.useState)(h[0]),[m,v]=(0,p.useState)(``),[S,C]=(0,p.useState)(),[w,T]=(0,p.useState)(_),E=S??x(m),D=n({mutationFn:()=>c.agents.create({settings:{slug:E,name:m,format:o.format},protocol:o.protocol.replaceAll(`MODEL`,()=>w),prompts:[...o.prompts]}),onSuccess:async({agentId:e})=>{await l(`/api/agents`),await i({to:`/agents/$agentId/definition`,params:{agentId:e}})}}),O=[{label:`Agents`,to:`/agents`}];return a?(0,g.jsx)(f,{title:`New agent`,crumbs:O,children:(0,g.jsxs)(`form`,{className:`grid max-w-2xl gap-5`,onSubmit:e=>{e.preventDefault(),D.mutate()},children:[(0,g.jsx)(y,{chosen:o,onChoose:s}),(0,g.jsx)(t,{label:`Name`,required:!0,maxLength:100,value:m,hint:`The name that users see.`,error:D.error,path:`settings.name`,onChange:({target:e})=>v(e.value)}),(0,g.jsx)(t,{label:`Slug`,required:!0,maxLength:64,value:E,hint:`The agent's name in the API: lowercase-with-dashes. It never changes.`,error:D.error,path:`settings.slug`,onChange:({target:e})=>C(e.value)}),(0,g.jsx)(b,{value:w,onChange:T}),(0,g.jsx)(d,{error:D.error}),(0,g.jsx)(`div`,{children:(0,g.jsx)(u,{type:`submit`,look:`primary`,disabled:D.isPending||m===``||E===``,children:D.isPending?`Creating …`:`Create agent`})})]})}):(0,g.jsx)(f,{title:`New agent`,crumbs:O,children:(0,g.jsx)(`p`,{className:`text-muted`,children:`This page needs a key with the permission agents.`})})}function y({chosen:e,onChoose:t}){return(0,g.jsxs)(`fieldset`,{className:`grid grid-cols-2 gap-2 max-md:grid-cols-1`,children:[(0,g.jsx)(`legend`,{className:`mb-2 text-table font-medium`,children:`Begin with`}),h.map(n=>(0,g.jsxs)(`label`,{className:`flex cursor-pointer gap-3 rounded-card border border-line bg-panel p-3 has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent`,children:[(0,g.jsx)(`input`,{type:`radio`,name:`template`,className:`mt-1`,checked:e.title===n.title,onChange:()=>t(n)}),(0,g.jsxs)(`span`,{children:[(0,g.jsx)(`span`,{className:`block font-medium`,children:n.title}),(0,g.jsx)(`span`,{className:`block text-table text-muted`,children:n.text})]})]},n.title))]})}function b({value:e,onChange:n}){let r=(0,p.useId)(),{data:i}=s(`/api/models`);return(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(t,{label:`Model`,required:!0,list:r,value:e,hint:`${_} repeats what it reads, and needs no provider.`,onChange:({target:e})=>n(e.value)}),(0,g.jsx)(`datalist`,{id:r,children:i?.models.map(({id:e,name:t})=>(0,g.jsx)(`option`,{value:e,children:t},e))})]})}function x(e){return e.normalize(`NFD`).toLowerCase().replace(/[^a-z0-9]+/g,`-`).replace(/^-+|-+$/g,``).slice(0,64)}export{v as NewAgent};