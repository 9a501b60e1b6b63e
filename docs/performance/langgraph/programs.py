# The three programs of docs/langgraph.md in LangGraph for Python. No test runs them:
#
#   python3 -m venv venv && venv/bin/pip install langgraph==1.2.24
#   venv/bin/python docs/performance/langgraph/programs.py

# Program: chat
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


def weather(town: str) -> str:
    """The weather in a town."""
    return "rain in " + town


def model(state: MessagesState):
    last = state["messages"][-1]
    if last.type == "tool":
        return {"messages": AIMessage("Take a coat: " + last.content)}
    call = {"name": "weather", "args": {"town": "Oslo"}, "id": "1"}
    return {"messages": AIMessage("", tool_calls=[call])}


builder = StateGraph(MessagesState)
builder.add_node(model)
builder.add_node("tools", ToolNode([weather]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
app = builder.compile()

out = app.invoke({"messages": ("user", "Do I need a coat in Oslo?")})
print(out["messages"][-1].content)

# Program: mapReduce
from operator import add
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.types import Send


class Book(TypedDict):
    chapters: list[str]
    notes: Annotated[list[str], add]
    summary: str


def read(chapter: str):
    return {"notes": [f"{chapter} has {len(chapter)} letters"]}


def sum_up(book: Book):
    return {"summary": "; ".join(book["notes"])}


def each(book: Book):
    return [Send("read", chapter) for chapter in book["chapters"]]


builder = StateGraph(Book)
builder.add_node(read)
builder.add_node(sum_up)
builder.add_conditional_edges(START, each, ["read"])
builder.add_edge("read", "sum_up")
app = builder.compile()

out = app.invoke({"chapters": ["Loomings", "The Carpet-Bag"]})
print(out["summary"])

# Program: approval
from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt


class Order(TypedDict):
    item: str
    answer: str


def approve(order: Order):
    return {"answer": interrupt("Pay for " + order["item"] + "?")}


builder = StateGraph(Order)
builder.add_node(approve)
builder.add_edge(START, "approve")
app = builder.compile(checkpointer=InMemorySaver())

config = {"configurable": {"thread_id": "t1"}}
out = app.invoke({"item": "a lamp"}, config)
print(out["__interrupt__"][0].value)
out = app.invoke(Command(resume="yes"), config)
print(out["answer"])
